"""What other tools print beside the monitor, on a run's time axis."""
