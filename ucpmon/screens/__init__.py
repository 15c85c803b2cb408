"""Bytes → figures: the only room that knows what a screen of the monitor looks like."""
