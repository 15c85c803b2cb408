"""The ION debug files of a board as they are now: this machine's, or another's over ssh."""

from __future__ import annotations

import subprocess
from dataclasses import replace

from ucpmon.errors import StartError
from ucpmon.heaps.dump import HeapDump
from ucpmon.heaps.dump_file import decode
from ucpmon.heaps.parser import parse_heaps
from ucpmon.monitor.link import Link
from ucpmon.monitor.options import ION_HEAPS

TIMEOUT_S = 30
_HINT = (
    "it needs root (or --sudo) and debugfs (mount -t debugfs none /sys/kernel/debug); "
    "else name a file saved with cat /sys/kernel/debug/ion/heaps/*, or --host USER@BOARD"
)
# The kernel offers all heaps in one file, or one file for each; a name in a comment tells those apart.
PRINT_ALL = (
    'if [ -e all_heap_info ]; then cat all_heap_info; else for f in *; do echo "# cat heaps/$f"; cat "./$f"; done; fi'
)
"""Shell that prints every heap, in the folder of the debug files."""

_SCRIPT = f"""\
cd "$1" 2>/dev/null || {{ echo "cat: there is no such directory, or no permission to enter it" >&2; exit 1; }}
{PRINT_ALL}
"""


def read_board(link: Link, folder: str = ION_HEAPS) -> HeapDump:
    """The heaps of the machine behind ``link``.

    Raises StartError where the link fails, or where no heap can be read in ``folder`` there.
    """
    where = f"{link.name}:{folder}" if link.name else folder
    try:
        argv = link.plain(["sh", "-c", _SCRIPT, "ucpmon", folder])
        done = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, timeout=TIMEOUT_S, check=False)
    except subprocess.TimeoutExpired as error:
        raise StartError(
            f"{where} was not read within {TIMEOUT_S} s", "is the board busy, or the link down?"
        ) from error
    except OSError as error:
        raise StartError(f"{where}: {argv[0]}: {error.strerror}", _HINT) from error
    said = done.stderr.decode("utf-8", "replace")
    if failure := link.failure(done.returncode, said):
        raise StartError(*failure)
    complaints = [line.strip().removeprefix("cat: ") for line in said.splitlines() if line.startswith("cat: ")]
    dump = parse_heaps(decode(done.stdout))
    if not dump.heaps:
        raise StartError(f"{where}: {complaints[0] if complaints else 'no heap is shown there'}", _HINT)
    return replace(dump, problems=(*dump.problems, *complaints))
