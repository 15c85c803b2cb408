"""``python -m ucpmon`` and the ``ucpmon`` command."""

import sys


def main() -> None:
    from ucpmon.cli.app import run

    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
