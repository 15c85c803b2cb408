"""Finds in the memory levels of a run when its models were loaded, ran and were released."""
