"""``python -m ucpmon.simulator``."""

import sys

from ucpmon.simulator.program import main

sys.exit(main(sys.argv[1:]))
