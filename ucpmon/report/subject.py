"""A run with all that its report says of it, computed once."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ucpmon.errors import InputError
from ucpmon.memory.measurement import MemoryReport, memory
from ucpmon.metrics import metric
from ucpmon.neighbours.hrut_ddr import COLUMNS, Ddr, align
from ucpmon.runs.frames import metric_columns
from ucpmon.statistics.quality import Quality, quality
from ucpmon.statistics.summary import BUSY_PCT, Imbalance, Summary, imbalances, summary
from ucpmon.statistics.weights import row_seconds

if TYPE_CHECKING:
    from ucpmon.runs.reader import Run


@dataclass(frozen=True)
class Subject:
    """``seconds`` weigh the rows of ``run.frame``; ``summaries`` are by column, of every metric that was printed.

    ``ddr`` are hrut_ddr's rows on the run's time axis, with ``ddr_how`` saying how they were laid there; ``None`` where
    there are none.
    """

    run: Run
    seconds: np.ndarray = field(repr=False)
    quality: Quality
    summaries: dict[str, Summary]
    imbalances: list[Imbalance]
    memory: MemoryReport
    busy_pct: float
    ddr: pd.DataFrame | None = field(default=None, repr=False)
    ddr_how: str = ""

    def of_kind(self, *kinds: str) -> list[Summary]:
        """The summaries of metrics of these kinds (see ``ucpmon.metrics``), in the order of the run."""
        return [s for c, s in self.summaries.items() if (m := metric(c)) is not None and m.kind in kinds]


def subject(run: Run, ddr: Ddr | None = None, ddr_at: str | None = None, busy_pct: float = BUSY_PCT) -> Subject:
    """All that a report says of ``run``; ``ddr`` is hrut_ddr's recording, its first row at the mark ``ddr_at``.

    Raises InputError for a run without a row, and what ``ddr.align`` raises.
    """
    if not len(run.frame):
        raise InputError(f"{run.path} has no rows", "nothing was recorded")
    seconds = row_seconds(run.frame, run.info)
    found = {c: summary(run.frame, c, seconds, busy_pct) for c in metric_columns(run.frame)}
    aligned, how = align(ddr, run.frame, run.marks, ddr_at) if ddr else (None, "")
    if aligned is not None:
        held = row_seconds(aligned, {})
        found |= {c: summary(aligned, c, held, busy_pct) for c in COLUMNS}
    return Subject(
        run=run,
        seconds=seconds,
        quality=quality(run.frame, run.info),
        summaries={c: s for c, s in found.items() if s is not None},
        imbalances=imbalances(run.frame, seconds),
        memory=memory(run),
        busy_pct=busy_pct,
        ddr=aligned,
        ddr_how=how,
    )
