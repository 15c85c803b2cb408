"""Recording: a monitor's output, as it comes, into the files of a run.

``job`` says what to record, ``survey`` asks the machine about itself, ``output`` writes the files, ``limits`` and
``signals`` say when to end, ``recording`` is the loop, ``progress`` is what a person sees meanwhile.
"""

from ucpmon.recorder.job import Job
from ucpmon.recorder.recording import Recording
from ucpmon.recorder.survey import Survey, survey

__all__ = ["Job", "Recording", "Survey", "survey"]
