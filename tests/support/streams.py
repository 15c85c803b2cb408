"""Hand-typed streams and what is done with them in several tests."""

from ucpmon.records import CaptureInfo, Chunk
from ucpmon.screens.pipeline import Pipeline
from ucpmon.screens.reader import ScreenReader


def samples_of(data, rows=60, cols=120, **how):
    """The samples of bytes (one chunk, no clock) or of (seconds, bytes) pairs, and the pipeline they went through."""
    pairs = [(None, data)] if isinstance(data, bytes) else data
    info = CaptureInfo("typed", rows, cols)
    pipeline = Pipeline(info, ScreenReader(rows, cols, **how))
    out = []
    for seconds, piece in pairs:
        out += pipeline.feed(Chunk(None if seconds is None else round(seconds * 1e6), piece))
    return out + pipeline.finish(), pipeline


def text_samples(text, **how):
    return samples_of(text.encode(), **how)


def one(text):
    """The only sample of a text that is one screen."""
    found, _ = text_samples(text)
    assert len(found) == 1
    return found[0]


def block(load="12.5", read="208", used="2.0M", free="510.0M", processes=()):
    """One refresh in a layout of its own: wider cells than any recorder's fixture, a title row, a closing rule."""
    rows = [
        "+----------------------------------------+",
        "| Horizon monitor                        |",
        "+----------------------------------------+",
        f"| Bpu0        {load:>10}                 |",
        "| DDR bandwidth                          |",
        f"| Read        {read:>10}                 |",
        "| Write       {:>10}                 |".format("17"),
        "| ION info                               |",
        f"| carveout   512.0M {used:>8} {free:>8}     |",
        "| process mem info                       |",
        *(f"| {p:<38} |" for p in processes),
        "+----------------------------------------+",
    ]
    return "\n".join(rows) + "\n"
