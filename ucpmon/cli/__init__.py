"""The command line: one module a verb, each only wires. ``app`` is the one place that catches errors.

``VERBS`` names the verbs in the order of ``--help``; the function of a verb stands in the module of the same name.
"""

VERBS: tuple[str, ...] = (
    "record",
    "mark",
    "replay",
    "doctor",
    "plot",
    "check",
    "compare",
    "report",
    "export",
    "memory",
    "heaps",
    "estimate",
    "simulate",
)
