"""``ucpmon simulate``: the stand-in monitor."""

from __future__ import annotations

import typer

from ucpmon.cli.common import need_terminals

CONTEXT = {"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []}
"""Every word belongs to the stand-in, ``-h`` too."""


def simulate(context: typer.Context) -> int:
    """Run a stand-in hrt_ucp_monitor with invented figures (simulate -h lists its options)."""
    need_terminals("simulate")
    from ucpmon.monitor.simulator.program import main

    return main(context.args)
