"""Recording: a monitor's output, as it comes, into the files of a run.

``job`` says what to record and ``survey`` what the machine says of itself. ``recording`` is the loop; it hears from
``source`` (the monitor), ``trial`` (a workload), ``exact`` (the ION heaps), ``ending`` (signals) and ``watch``, writes
to ``output``, and shows ``progress``. ``fleet`` runs several at once.
"""

from ucpmon.recorder.ending import Signals
from ucpmon.recorder.fleet import Fleet, short_names
from ucpmon.recorder.job import Job
from ucpmon.recorder.recording import Recording
from ucpmon.recorder.survey import Survey, survey
from ucpmon.recorder.trial import Trial

__all__ = ["Fleet", "Job", "Recording", "Signals", "Survey", "Trial", "short_names", "survey"]
