"""``ucpmon estimate``: the predicted memory of a network."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from ucpmon.cli.common import say


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
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")] = False,
) -> None:
    """Predict the memory of a network: weights, activations, inputs and outputs.

    Everything named is added up, for example: ucpmon estimate --dense 1024x512 --bias --tensor 1x1024
    """
    from ucpmon.cli.estimate_view import estimate_text
    from ucpmon.estimate import to_json
    from ucpmon.estimate.request import Request
    from ucpmon.estimate.request import estimate as run

    found = run(
        Request(models or (), dense or (), bias, conv or (), tensor or (), dtype=dtype, batch=batch, dims=dim or ())
    )
    for note in found.notes:
        say(f"ucpmon: {note}")
    typer.echo(json.dumps(to_json(found), indent=1) if as_json else estimate_text(found))
