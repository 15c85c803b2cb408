"""``ucpmon estimate``: the predicted memory of a network."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ucpmon.cli.common import say

if TYPE_CHECKING:
    from ucpmon.memory.against import Comparison
    from ucpmon.memory.estimate import Estimate
    from ucpmon.memory.estimate.request import Request


def estimate(
    models: Annotated[
        list[Path] | None, typer.Argument(metavar="[MODEL…]", help="ONNX networks, or compiled models (.hbm, .bin).")
    ] = None,
    dense: Annotated[list[str] | None, typer.Option(metavar="IxO", help="A fully connected layer's weights.")] = None,
    bias: Annotated[bool, typer.Option("--bias", help="Give every --dense layer a bias.")] = False,
    conv: Annotated[list[str] | None, typer.Option(metavar="HxWxC", help="A layer's activation.")] = None,
    tensor: Annotated[list[str] | None, typer.Option(metavar="NxC…", help="An input or output tensor.")] = None,
    dtype: Annotated[
        str | None, typer.Option(help="float32 (for layers), float16, int8…; for ONNX: of every float tensor.")
    ] = None,
    batch: Annotated[int | None, typer.Option(help="Samples at a time.")] = None,
    dim: Annotated[list[str] | None, typer.Option(metavar="NAME=N", help="An open dimension of an ONNX input.")] = None,
    against: Annotated[
        Path | None, typer.Option(metavar="RUN", help="Compare with the memory that a model took in this run.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")] = False,
) -> None:
    """Predict the memory of a network: weights, activations, inputs and outputs.

    Everything named is added up, for example: ucpmon estimate --dense 1024x512 --bias --tensor 1x1024
    """
    from ucpmon.cli.estimate_view import estimate_text
    from ucpmon.memory.estimate import to_json
    from ucpmon.memory.estimate.request import Request
    from ucpmon.memory.estimate.request import estimate as predict

    request = Request(models or (), dense or (), bias, conv or (), tensor or (), dtype, batch, dim or ())
    found = predict(request)
    for note in found.notes:
        say(f"ucpmon: {note}")
    compared = _compared(found, against) if against else []
    if as_json:
        against_json = {"against": [c.as_dict() for c in compared]} if against else {}
        typer.echo(json.dumps({**to_json(found), **against_json}, indent=1))
        return
    typer.echo(estimate_text(found))
    if against:
        _echo_against(request, against, compared)


def _compared(found: Estimate, run: Path) -> list[Comparison]:
    from ucpmon.memory.against import against
    from ucpmon.memory.measurement import memory
    from ucpmon.runs.reader import read_run

    data = read_run(run)
    return against(found, memory(data))


def _echo_against(request: Request, run: Path, compared: list[Comparison]) -> None:
    from ucpmon.cli.estimate_view import against_text, alternatives_text
    from ucpmon.memory.estimate.request import alternatives

    for number, comparison in enumerate(compared, 1):
        title = f"Against {run}" + (f", model {number} of {len(compared)}" if len(compared) > 1 else "")
        typer.echo("\n" + against_text(comparison, title))
    if sizes := alternatives(request):
        typer.echo("\n" + alternatives_text(sizes))
