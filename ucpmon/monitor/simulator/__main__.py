"""``python -m ucpmon.monitor.simulator``."""

import sys

from ucpmon.monitor.simulator.program import main

sys.exit(main(sys.argv[1:]))
