"""Hand-typed streams and what is done with them in several tests."""

from ucpmon.records import CaptureInfo, Chunk
from ucpmon.screens.pipeline import Pipeline
from ucpmon.screens.screen_reader import ScreenReader


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


def told(found):
    lines = [(s.understood, s.noise, list(s.unknown)) for s in found]
    figures = [(s.t_us, s.cut, s.clipped, s.values, s.quanta, list(s.processes)) for s in found]
    return list(zip(figures, lines, strict=True))


def same_by_line(pieces, **how):
    """The samples of a stream, which have to be what they are when every line is read."""
    fast, pipeline = samples_of(pieces, **how)
    slow, lines = samples_of(pieces, forms=False, **how)
    assert told(fast) == told(slow)
    assert pipeline.counts == lines.counts
    return fast


def differences(pages, size=60):
    """What a program sends that redraws only what changed, a second apart."""
    shown, stream = [""] * size, []
    for i, page in enumerate(pages):
        rows = [*page, *[""] * (size - len(page))]
        changed = (y for y in range(size) if rows[y] != shown[y])
        drawn = "".join(f"\x1b[{y + 1};1H{rows[y]}\x1b[K" for y in changed)
        stream.append((i + 0.5, ("\x1b[?25l" * (not i) + drawn).encode()))
        shown = rows
    return [*stream, (len(pages) + 0.5, b"")]
