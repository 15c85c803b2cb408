"""One screen → one ``Sample``. Pure: the same lines give the same figures.

Schema. ``values`` holds, of what the screen printed and nothing else:

=========================  ======  ======================================================================
key                        type    meaning
=========================  ======  ======================================================================
``{ip}_load_pct``          float   load of one hardware block or core (``bpu0``…) in percent, as printed
``ddr_read_mibps``         number  DDR read bandwidth in MiB/s; another printed unit is converted [1]_
``ddr_write_mibps``        number  DDR write bandwidth in MiB/s
``{heap}_total_bytes``     int     size of a reserved heap: whole bytes of the printed figure [2]_
``{heap}_used_bytes``      int     of that, in use
``{heap}_free_bytes``      int     of that, free
=========================  ======  ======================================================================

``quanta`` gives for each size the step of the printed figure in bytes: ``1.0G`` is known to 107374182.
``processes`` holds the rows of the process table; a ``total`` row under the heaps is no heap.

.. [1] MB is 10⁶ bytes, MiB is 2²⁰; a unit in the section's title holds for rows that print none.
.. [2] Sizes count in 1024: ``64.0K`` is 65536.

A line is *understood* (a title, or a row that belongs into its section), *noise* (blank, borders, cells without a
digit, log lines), or *unknown*: anything else, kept by its text.

>>> from ucpmon.screens.grammar import read_line
>>> from ucpmon.screens.grammar import Screen
>>> rows = ["| BPU0   95.4 |", "| ION Info |", "| carveout 512.0M 2.0M 510.0M |"]
>>> parse(Screen(None, [read_line(r) for r in rows])).values["carveout_used_bytes"]
2097152
"""

from __future__ import annotations

from ucpmon.records import ProcessRow, Sample
from ucpmon.screens.figures import in_mibps
from ucpmon.screens.grammar import Kind, Screen, in_sections

PARSER_VERSION = 2


# An enum's members are looked up through its class: five times as slow as a name of the module.
_NOISE, _TITLE = Kind.NOISE, Kind.TITLE


def parse(screen: Screen) -> Sample:
    """The figures of one screen. A screen without a figure gives a sample without values."""
    values: dict[str, float] = {}
    quanta: dict[str, int] = {}
    processes: list[ProcessRow] = []
    unknown: list[str] = []
    noise = 0
    for line, section, scale in in_sections(screen.lines):
        kind = line.kind
        if kind is _NOISE:
            noise += 1
        elif kind is not _TITLE or line.rows:
            for where, figures, _, process, _ in line.rows:
                if where is not section:
                    continue
                if process:
                    processes.append(process)
                for column, number, step, factor, _, _, _ in figures:
                    if column:
                        values[column] = number if factor is None else in_mibps(number, factor or scale)
                        if step:
                            quanta[column] = step
                break
            else:
                unknown.append(line.text)
    understood = len(screen.lines) - noise - len(unknown)
    cut = screen.cut or screen.clipped
    columns, numbers = tuple(values), tuple(values.values())
    rows = tuple(processes)
    return Sample(screen.t_us, cut, screen.clipped, columns, numbers, quanta, rows, understood, noise, unknown)
