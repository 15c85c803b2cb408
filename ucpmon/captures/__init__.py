"""Saved captures → chunks: one module a format, chosen once, from the first bytes."""
