"""A run against its budget, and runs against runs."""
