"""A stand-in ``hrt_ucp_monitor`` for demos and tests: the documented command line, invented figures.

``board`` says what a board has and what happens on it, ``draw`` makes text of it, ``program`` is the command.
Run it as ``python -m ucpmon.monitor.simulator`` or ``ucpmon simulate``.
"""
