"""Where programs run: here, or on another machine over ssh. A link only wraps command lines."""

from ucpmon.transport.capture import Captured, capture
from ucpmon.transport.link import ENVIRONMENT, Link, Local, guarded
from ucpmon.transport.ssh import Ssh

__all__ = ["ENVIRONMENT", "Captured", "Link", "Local", "Ssh", "capture", "guarded"]
