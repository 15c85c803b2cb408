"""Screens that were read once → forms that read the same screens with other figures."""

from ucpmon.screens.forms.block_form import Batch, Form, Found, learn
from ucpmon.screens.forms.redrawn_rows import MOST_IN_VAIN, RedrawnRows, learn_rows
from ucpmon.screens.forms.repeated_blocks import RepeatedBlocks

__all__ = ["MOST_IN_VAIN", "Batch", "Form", "Found", "RedrawnRows", "RepeatedBlocks", "learn", "learn_rows"]
