"""What the tests share: made runs, real servers, the simulator, captures with their truth."""
