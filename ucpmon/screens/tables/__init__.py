"""What lines mean together: the columns that a header names, units, orders, names side by side, boxes."""

from ucpmon.screens.tables.context import Tables, forget

__all__ = ["Tables", "forget"]
