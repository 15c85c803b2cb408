"""Screens that were read once → forms that read the same screens with other figures."""

from ucpmon.screens.forms.changed_rows import MOST_IN_VAIN, ChangedRows, learn_rows
from ucpmon.screens.forms.form import Batch, Form, Found, learn
from ucpmon.screens.forms.regions import RegionReader

__all__ = ["MOST_IN_VAIN", "Batch", "ChangedRows", "Form", "Found", "RegionReader", "learn", "learn_rows"]
