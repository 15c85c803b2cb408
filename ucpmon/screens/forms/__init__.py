"""Screens that were read once → forms that read the same screens with other figures."""

from ucpmon.screens.forms.block import Layout
from ucpmon.screens.forms.form import Batch, Form, Found, learn
from ucpmon.screens.forms.grid import MOST_IN_VAIN, Grid, learn_grid

__all__ = ["MOST_IN_VAIN", "Batch", "Form", "Found", "Grid", "Layout", "learn", "learn_grid"]
