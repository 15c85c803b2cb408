"""What a capture is, what was understood of it, and what is likely wrong with it."""

from ucpmon.doctor.anonymize import Shared, anonymize
from ucpmon.doctor.causes import Cause
from ucpmon.doctor.diagnosis import Diagnosis, diagnose

__all__ = ["Cause", "Diagnosis", "Shared", "anonymize", "diagnose"]
