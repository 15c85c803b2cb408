"""Shows a Figure in a window, where there is a display and a toolkit for it."""

from __future__ import annotations

import os
import sys
from typing import Any

from ucpmon.plot.layout.style import DPI

_HIGHEST = 1000
"""Pixels: a higher page is shown smaller, so that the whole window is on the screen."""
_TOOLKITS = ("macosx", "qtagg", "gtk4agg", "gtk3agg", "tkagg")


def has_display() -> bool:
    """Whether a window can be expected to open."""
    if sys.platform in ("win32", "darwin"):
        return not os.environ.get("SSH_CONNECTION")
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def show_figure(figure: Any, title: str) -> bool:
    """Opens a window and waits until it is closed; false where no toolkit works here."""
    from matplotlib import pyplot

    figure.set_dpi(min(DPI, _HIGHEST / figure.get_figheight()))
    manager = _manager(figure)
    if manager is None:
        figure.set_dpi(DPI)
        return False
    manager.set_window_title(title)
    from matplotlib._pylab_helpers import Gcf

    Gcf.set_active(manager)
    pyplot.show(block=True)
    return True


def _manager(figure: Any) -> Any:
    from matplotlib import pyplot

    wanted = os.environ.get("MPLBACKEND")
    for toolkit in (wanted,) if wanted else _TOOLKITS:
        try:
            pyplot.switch_backend(toolkit)
            manager = pyplot.new_figure_manager(1, FigureClass=lambda: figure)
        except Exception:  # noqa: BLE001 - each toolkit fails in its own way, and the next one may work
            continue
        return manager
    return None
