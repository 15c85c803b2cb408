"""DataFrames of a run → answers, as dataclasses."""
