"""What is drawn: runs on one time axis, their series as steps, thinned, and which panel each belongs to."""
