"""Drive ``hrt_ucp_monitor``, keep what it printed, and answer what it means.

>>> import ucpmon
>>> run = ucpmon.read_run("run.csv")        # or any capture
>>> run.frame["bpu0_load_pct"].max()        # doctest: +SKIP
"""

from typing import Any

__version__ = "0.1.0.dev0"
__all__ = ["Run", "UcpmonError", "__version__", "read_run"]


def __getattr__(name: str) -> Any:
    # pandas costs 0.4 s: it is loaded when a run is read, not when the package is imported.
    if name in ("Run", "read_run"):
        from ucpmon.runs import reader

        return getattr(reader, name)
    if name == "UcpmonError":
        from ucpmon.errors import UcpmonError

        return UcpmonError
    raise AttributeError(f"module 'ucpmon' has no attribute {name!r}")
