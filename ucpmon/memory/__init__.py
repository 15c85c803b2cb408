"""What a model takes of the reserved memory: levels, phases, leaks, fit, and what an estimate predicts."""
