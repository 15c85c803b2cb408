"""The stand-in's command line: the monitor's documented options, and those that only a stand-in has."""

from __future__ import annotations

import argparse
import sys
from typing import NoReturn

from ucpmon.errors import UsageError
from ucpmon.metrics import MONITORED_IPS
from ucpmon.monitor.options import COUNT, FREQ_HZ, INTERVAL_MS, PROGRAM, SIMULATOR_SIGN
from ucpmon.monitor.simulator.board import PROFILES, SCENARIOS

FAULTS = ("freeze", "crash", "fail", "flood", "layout", "garbage", "noise", "tear", "close")
IGNORABLE = ("q", "int", "hup", "term")
_RULE = "-" * 96
HELP = """\
Usage: {program} [Option...] [Parameter]      ({sign}: every figure is invented)
[Option]              [Instruction]
{rule}
-h --help             print this text
-v --verbose          print what was asked for
[Option]              [Parameter]
{rule}
-b --batch            [null]    print a block of text per refresh instead of redrawing the screen
-d --delay            [int]     time between two refreshes in ms, default is 1000. parameter range: [100, 10000].
-f --freq             [int]     samples a second of BPU and DSP, default is 500. parameter range: [10, 1000].
-n --number           [int]     number of refreshes, default is endless. parameter range: [1, 2147483647].
-t --time             [int]     running time in s, default is endless. parameter range: [1, 2147483647].
-e --enable           [string]  what to monitor, default is "{ips}".
{rule}
of the stand-in alone:
   --profile NAME     the board: {profiles} (default s100)
   --scenario NAME    what happens on it: {scenarios} (default load)
   --seed N           another seed draws other figures; the same one draws the same (default 0)
   --speed X          scenario time runs X times as fast (default 1)
   --log FILE         a JSON line per drawn screen: when, and every figure on it
   --draw HOW         how the screen is redrawn: changes (only what differs) or page (all of it) (default changes)
   --fault NAME[@S]   misbehave from second S on: {faults}; may be repeated
   --ignore LIST      what does not end it: {ignorable}
"""


class BadOption(Exception):
    """What the program prints before it gives up."""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise BadOption(message)


def help_text(profile: str) -> str:
    return HELP.format(
        program=PROGRAM,
        sign=SIMULATOR_SIGN,
        rule=_RULE,
        ips=PROFILES[profile].separator.join(MONITORED_IPS),
        profiles=", ".join(PROFILES),
        scenarios=", ".join(SCENARIOS),
        faults=", ".join(FAULTS),
        ignorable=",".join(IGNORABLE),
    )


def parse(argv: list[str]) -> argparse.Namespace:
    """The options; raises BadOption with the line that the program prints."""
    parser = _Parser(prog=PROGRAM, add_help=False, allow_abbrev=False)
    for flags in (("-h", "--help"), ("-v", "--verbose"), ("-b", "--batch")):
        parser.add_argument(*flags, action="store_true")
    parser.add_argument("-d", "--delay", type=int, default=1000)
    parser.add_argument("-f", "--freq", type=int, default=500)
    parser.add_argument("-n", "--number", type=int)
    parser.add_argument("-t", "--time", type=int)
    parser.add_argument("-e", "--enable", default="")
    parser.add_argument("--profile", choices=PROFILES, default="s100")
    parser.add_argument("--scenario", choices=SCENARIOS, default="load")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--speed", type=float, default=1.0)
    parser.add_argument("--log")
    parser.add_argument("--draw", choices=("changes", "page"), default="changes")
    parser.add_argument("--fault", type=_fault, action="append", default=[])
    parser.add_argument("--ignore", type=_ignored, default=())
    options = parser.parse_args(argv)
    _check(options)
    return options


def command(profile: str, scenario: str, seed: int = 0) -> tuple[str, ...]:
    """The stand-in as a program of its own. Raises UsageError for a profile or scenario that it does not have."""
    for option, value, known in (("--profile", profile, PROFILES), ("--scenario", scenario, SCENARIOS)):
        if value not in known:
            raise UsageError(f"{option} {value!r} is not known", f"choose of {', '.join(known)}")
    python = (sys.executable, "-m", "ucpmon.monitor.simulator")
    return (*python, "--profile", profile, "--scenario", scenario, "--seed", str(seed))


def _check(options: argparse.Namespace) -> None:
    for name, limits in (("delay", INTERVAL_MS), ("freq", FREQ_HZ), ("number", COUNT), ("time", COUNT)):
        value = getattr(options, name)
        if value is not None and not limits[0] <= value <= limits[1]:
            raise BadOption(f"{name} {value} is invalid, parameter range: [{limits[0]}, {limits[1]}].")
    separator = PROFILES[options.profile].separator
    options.enable = tuple(n.strip().lower() for n in options.enable.split(separator)) if options.enable else ()
    for name in options.enable:
        if name not in MONITORED_IPS:
            raise BadOption(f"{name} is invalid")


def _fault(text: str) -> tuple[str, float]:
    name, _, seconds = text.partition("@")
    if name not in FAULTS:
        raise argparse.ArgumentTypeError(f"{name} is no fault")
    return name, float(seconds or 0)


def _ignored(text: str) -> tuple[str, ...]:
    names = tuple(text.lower().split(","))
    if not set(names) <= set(IGNORABLE):
        raise argparse.ArgumentTypeError(f"{text} cannot be ignored")
    return names
