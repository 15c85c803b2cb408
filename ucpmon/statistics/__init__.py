"""Figures over time: weights, summaries, change points, and how far a figure can be trusted."""
