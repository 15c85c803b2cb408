"""What the verbs share: options, where output goes, and how messages are said."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from ucpmon.errors import UsageError
from ucpmon.text import printable

if TYPE_CHECKING:
    from ucpmon.runs import RunFiles


def say(message: str) -> None:
    """One message to stderr; control characters of what it quotes cannot reach the terminal."""
    if sys.stderr is None:
        return  # closed by whoever started us; print would turn to stdout
    # Whoever listened may be gone (a closed terminal, a broken pipe): no reason to stop the work.
    with suppress(OSError, ValueError):
        print(printable(message, "\n"), file=sys.stderr, flush=True)  # noqa: T201


def need_terminals(verb: str) -> None:
    """Raises UsageError on a system that has no Unix terminals."""
    if os.name != "posix":
        raise UsageError(f"ucpmon {verb} needs Unix terminals", "run it on the board, on Linux or in WSL")


def silence_stdout() -> None:
    """The reader of our output went away (`| head`): its business, not an error. Python flushes again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def choose_output(output: Path | None, force: bool, default: str) -> Path:
    """The file to write: an explicit one, or ``default`` made free by ``-2``, ``-3``….

    Raises UsageError where an explicit output exists and ``force`` is not given, or its folder does not exist.
    """
    if output is None:
        return next(path for path in numbered(Path(default)) if not path.exists())
    refuse_folder(output)
    _refuse_special(output)
    if not output.parent.is_dir():
        raise UsageError(f"{output}: there is no directory {output.parent}", "make it first")
    if output.exists() and not force:
        raise UsageError(f"{output} exists", "add --force to overwrite it, or name another output")
    return output


def choose_run(output: Path | None, force: bool, replay: bool = False) -> RunFiles:
    """The run to write: an explicit one, or ``run.csv``, else ``run-2.csv``… of which no file is there yet.

    A ``replay`` writes tables alone: the capture that it reads may lie beside them. Raises UsageError where a file
    that would be written exists and ``force`` is not given, or where none can be made.
    """
    from ucpmon.runs import RunFiles

    taken = RunFiles.tables if replay else RunFiles.existing
    if output is None:
        files = next(f for f in map(RunFiles, numbered(Path("run.csv"))) if not taken(f))
    else:
        refuse_folder(output)
        files = RunFiles.of(output)
        if files.csv.suffix != ".csv":
            raise UsageError(f"{output} is no name for a run", "name a file that ends in .csv")
        for path in [files.csv] if force else [*taken(files), files.csv]:
            choose_output(path, force, "")
    check_writable(files.csv)
    return files


def keep_apart(outputs: Iterable[Path], inputs: Iterable[Path | None]) -> None:
    """Raises UsageError where a command would write over what it reads: ``--force`` is not meant for that."""
    read = [path for path in inputs if path is not None and path.exists()]
    for output in outputs:
        if output.exists() and any(output.samefile(path) for path in read):
            raise UsageError(f"{output} is what is to be read", "name another output")


def refuse_folder(output: Path) -> None:
    """Raises UsageError where an output, or an empty name, is a directory."""
    if output.is_dir():
        raise UsageError(f"{output} is a directory", "name a file in it")


def numbered(path: Path) -> Iterator[Path]:
    """``run.csv``, ``run-2.csv``, ``run-3.csv``…: the names to try until one is free."""
    yield path
    yield from (path.with_name(f"{path.stem}-{number}{path.suffix}") for number in count(2))


def check_writable(path: Path) -> Path:
    """``path``, if a file can be made there; raises UsageError that says why not."""
    try:
        existed = path.exists()
        with path.open("ab"):
            pass
        if not existed:
            path.unlink()
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}", "choose another output") from error
    return path


def output_for(output: Path | None, force: bool, default: str) -> Path:
    """As ``choose_output``, and found to be writable before the work is done; ``-`` is stdout."""
    if str(output) == "-":
        return Path("-")
    return check_writable(choose_output(output, force, default))


@contextmanager
def written(output: Path) -> Iterator[BinaryIO]:
    """A binary stream that becomes ``output`` only if all went well; ``-`` is stdout.

    Nothing is left behind, and an older ``output`` stays as it was, when the writer fails half-way.
    """
    if str(output) == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    _refuse_special(output)
    # A link stays one: what it leads to is written anew.
    target = output.resolve()
    partial = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        with partial.open("xb") as stream:
            yield stream
        partial.replace(target)
    except OSError as error:
        raise UsageError(f"{output} cannot be written: {error.strerror}", "choose another output") from error
    finally:
        partial.unlink(missing_ok=True)


def _refuse_special(output: Path) -> None:
    """A finished file takes the name of the output; for root that works even where it names a device."""
    if output.exists() and not output.is_file():
        raise UsageError(f"{output} is no ordinary file", "name a file, or - for standard output where that is offered")


def expand(names: list[str]) -> list[Path | None]:
    """The files that names and globs mean, in order; ``-`` is standard input (``None``).

    Raises UsageError for a glob that matches nothing.
    """
    found: list[Path | None] = []
    for name in names:
        path = Path(name)
        if name == "-":
            found.append(None)
        elif any(c in name for c in "*?[") and not path.exists():
            matches = sorted(Path(path.anchor or ".").glob(str(path.relative_to(path.anchor))))
            if not matches:
                raise UsageError(f"no file matches {name}", "check the folder and the pattern")
            found.extend(matches)
        else:
            found.append(path)
    return found
