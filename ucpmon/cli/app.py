"""Builds the command line from the verbs, and turns every error into one line on stderr."""

from __future__ import annotations

import traceback
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup

from ucpmon import __version__
from ucpmon.cli import VERBS
from ucpmon.cli.common import say, silence_stdout
from ucpmon.errors import Exit, UcpmonError

# typer carries its own click: its usage errors are reached through typer's own subclass.
_ClickError: type[Exception] = typer.BadParameter.__mro__[2]


class _Verbs(TyperGroup):
    """Lists the verbs with their whole first paragraph, over as many lines as that takes."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        rows = [
            (name, " ".join((verb.help or "").partition("\n\n")[0].split())) for name, verb in self.commands.items()
        ]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


def build(verbs: Sequence[str] = VERBS) -> typer.Typer:
    app = typer.Typer(
        cls=_Verbs,
        # A list of verbs needs no boxes; drawing them takes longer than all the rest.
        rich_markup_mode="rich" if len(verbs) == 1 else None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
        help="Record, replay and analyse hrt_ucp_monitor, the load and memory monitor of Horizon and RDK boards.",
        epilog="Every command: ucpmon COMMAND --help. Add --debug for the trace of an error.",
    )
    app.callback()(_top)
    for verb in verbs:
        module = import_module(f"ucpmon.cli.{verb}")
        # A verb that hands its words on to another program says so in CONTEXT.
        app.command(verb, context_settings=getattr(module, "CONTEXT", None))(getattr(module, verb))
    return app


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"ucpmon {__version__}")
        raise typer.Exit()


def _top(
    version: bool = typer.Option(
        False, "--version", is_eager=True, callback=_version, help="Show the version and exit."
    ),
) -> None:
    pass


def run(argv: Sequence[str]) -> int:
    """Run one command line; the process's exit code."""
    args, debug = _take_debug(list(argv))
    # Only the asked verb is imported: a recorder must not pay for the others. The version needs none.
    asked = "record" if args == ["--version"] else args[0] if args else ""
    verbs = tuple(v for v in VERBS if v == asked) or VERBS
    try:
        # Without a command the help is all there is to say; typer's own way adds an error that quotes all of it.
        code = build(verbs)(args=args or ["--help"], prog_name="ucpmon", standalone_mode=False)
        return int(code or 0) if args else int(Exit.USAGE)
    except UcpmonError as error:
        return _failed(str(error), error.exit_code, debug)
    except _ClickError as error:
        return _failed(_usage_line(error), Exit.USAGE, debug)
    except BrokenPipeError:
        return _unheard()
    except SystemExit as end:
        # Within a command typer takes the error for itself and leaves with 1, which would say that a check failed.
        if isinstance(end.__context__, BrokenPipeError):
            return _unheard()
        raise
    except (KeyboardInterrupt, typer.Abort):
        return _failed("interrupted", Exit.INTERRUPT, debug)
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        return _failed(f"{where}{error.strerror or error}", Exit.USAGE, debug)


def _unheard() -> int:
    silence_stdout()
    return int(Exit.OK)


def _failed(message: str, code: int, debug: bool) -> int:
    if debug:
        traceback.print_exc()
    say(f"ucpmon: {message}")
    return int(code)


def _usage_line(error: Exception) -> str:
    text = str(getattr(error, "format_message", lambda: error)()).replace("\n", " ").rstrip(".")
    context = getattr(error, "ctx", None)
    where = context.command_path if context else "ucpmon"
    return f"{text} (see {where} --help)"


def _take_debug(args: list[str]) -> tuple[list[str], bool]:
    ours = args[: args.index("--")] if "--" in args else args
    debug = "--debug" in ours
    return [a for a in ours if a != "--debug"] + args[len(ours) :], debug
