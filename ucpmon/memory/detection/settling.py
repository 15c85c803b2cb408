"""When the level of a model that is being loaded has settled, and how long it then stays."""

from __future__ import annotations

from ucpmon.memory.detection.segments import Course

# Below this share of a model's own height above its base, its memory counts as given back.
RELEASED = 0.35
# A rise while a model runs is another model's from this share of its height on, and a step in its work below.
ANOTHER = 0.3


def is_release(course: Course, at: int, low: float) -> bool:
    """Whether memory is given back with a piece: at once, or along a slope that ends at ``low`` or below."""
    here = course[at]
    if here.start <= low:
        return True
    falls = here.change <= -course.scale.least and here.stop <= low
    return falls and at + 1 < len(course) and course[at + 1].start <= low


def leave(course: Course, run: int, base: float) -> int:
    """The first piece that is no longer part of the running that starts with piece ``run``."""
    height = course[run].start
    after = run + 1
    while after < len(course):
        top = max(height, course[after - 1].stop)
        another = course.jump(after - 1) >= max(course.worth(after - 1), ANOTHER * (top - base))
        if another or is_release(course, after, base + RELEASED * (height - base)):
            break
        after += 1
    return after


class Settling:
    """One load, that begins with piece ``first`` on top of ``base`` bytes."""

    def __init__(self, course: Course, first: int, base: float) -> None:
        self.course, self.first, self.base = course, first, base
        self._known: dict[int, int] = {}

    def settled(self, at: int) -> int:
        """The piece in which the load has settled, looking from piece ``at`` on."""
        if at not in self._known:
            last = at + 1 == len(self.course) or self.course.is_low(at + 1, self.base, self.course[at].stop)
            stays = last or not self._is_stage(at)
            self._known[at] = at if stays else self.settled(at + 1)
        return self._known[at]

    def _is_stage(self, at: int) -> bool:
        """Whether piece ``at`` is still a stage of loading, judged by what was before and by what follows it."""
        drops = [i for i in range(self.first, at) if self.course.drops(i)]
        if self.course.rises(at):
            return self._rise_is_of_loading(at, bool(drops))
        if self.course.drops(at) and not self._repeats(at):
            return self._late_drop_is_of_loading(at, drops) if drops else self._drop_is_of_loading(at)
        if not drops and self._climbs(at):
            return self.course.time(at + 1) - self.course[self.first].start_s <= 2 * self._follows(at)
        # Nothing happens between this piece and the next, or what happens all the time: what holds for that, holds.
        return self.settled(at + 1) > at + 1

    def _rise_is_of_loading(self, at: int, dropped: bool) -> bool:
        """Loading in stages: a stage is not much longer than the rest of the load, or short beside the running."""
        course = self.course
        load = Settling(course, at + 1, self.base) if dropped else self
        settled = load.settled(at + 1)
        lasts, rest = course.seconds(at), course[settled].start_s - course[at + 1].start_s
        if dropped:
            return course.jump(at) >= ANOTHER * (course[at].stop - self.base) and lasts < rest
        return lasts < max(3 * rest, 0.2 * course.seconds(settled))

    def _drop_is_of_loading(self, at: int) -> bool:
        """What only loading needed is given back: a peak is shorter than what follows it, if that was seen whole."""
        large = self.course.drop(at) >= 0.1 * (self.course[at].stop - self.base)
        seen_whole = self._left(at) < len(self.course)
        patience = 0.25 if not large else 2.0 if seen_whole else 5.0
        return self._since_change(at) <= patience * self._follows(at)

    def _late_drop_is_of_loading(self, at: int, drops: list[int]) -> bool:
        """What is given back later still belongs to loading if it is soon, and not much less."""
        dropped_s = self.course.time(drops[0] + 1)
        peak_s = dropped_s - self.course[self.first].start_s
        soon = self.course.time(at + 1) - dropped_s <= max(peak_s, 0.2 * self._follows(at))
        return soon and self.course.drop(at) >= 0.3 * max(map(self.course.drop, drops))

    def _repeats(self, at: int) -> bool:
        """Whether drops like the one behind piece ``at`` come again and again: they are its work, not its load."""
        course, life = self.course, range(self.first, self._left(at) - 1)
        return sum(course.drops(i) and course.drop(i) >= 0.7 * course.drop(at) for i in life) > 3

    def _climbs(self, at: int) -> bool:
        """Whether piece ``at`` climbs about as fast as the load did before it; a leak is much slower."""
        course, here = self.course, self.course[at]
        since = here.start_s - (course[self.first - 1].stop_s if self.first else course[0].start_s)
        steep = since > 0 and here.slope >= 0.15 * (here.start - self.base) / since
        return here.change >= course.scale.least and (steep or course.is_ramp(at, self.base))

    def _left(self, at: int) -> int:
        """The first piece behind the running that would follow piece ``at``."""
        return leave(self.course, self.settled(at + 1), self.base)

    def _follows(self, at: int) -> float:
        """Seconds from the end of piece ``at`` to the end of the running."""
        return self.course.time(self._left(at)) - self.course[at + 1].start_s

    def _since_change(self, at: int) -> float:
        """Seconds from the last change before piece ``at`` to the end of that."""
        start = at
        while start > self.first and self.course.is_calm(start - 1):
            start -= 1
        return self.course.time(at + 1) - self.course[start].start_s
