"""Parquet (zstd), with each column's unit and label as field metadata and run.json as schema metadata."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, BinaryIO

from ucpmon.errors import MissingExtra
from ucpmon.export import table_of
from ucpmon.metrics import metric

if TYPE_CHECKING:
    from ucpmon.runs.reader import Run

_UNITS = {"elapsed_s": "s", "rss_bytes": "bytes", "hbmem_bytes": "bytes", "bytes": "bytes"}
_ROW_GROUP = 100_000


def write(run: Run, out: BinaryIO, table: str) -> None:
    """One table of the run. A field's metadata has ``unit`` and ``label``; the schema's has ``ucpmon``, run.json."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        raise MissingExtra("Parquet", "parquet") from error
    frame = table_of(run, table)
    data = pa.Table.from_pandas(frame, preserve_index=False)
    schema = pa.schema([_field(field) for field in data.schema], metadata=data.schema.metadata)
    schema = schema.with_metadata({**(data.schema.metadata or {}), b"ucpmon": json.dumps(dict(run.info)).encode()})
    with pq.ParquetWriter(out, schema, compression="zstd") as writer:
        writer.write_table(data.cast(schema), row_group_size=_ROW_GROUP)


def _field(field: Any) -> Any:
    import pyarrow as pa

    kind = pa.timestamp("us", "UTC") if pa.types.is_timestamp(field.type) else field.type
    found = metric(field.name)
    unit = found.unit if found else _UNITS.get(field.name, "")
    notes = {"unit": unit, "label": found.label if found else ""}
    return pa.field(field.name, kind, metadata={k: v for k, v in notes.items() if v})
