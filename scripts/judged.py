"""How our statistics do beside those of others, in percent of 200 random series each.

``tests/statistics/test_judges.py`` measures these shares anew and holds them to what stands here, to one point;
``docs/statistics.md`` tells them.
"""

from typing import NamedTuple


class Judged(NamedTuple):
    """Shares in percent of the series in which ours, and the judge's, agrees with the known truth; why they differ."""

    ours: float
    judge: float
    name: str
    why: str


LEVELS, LINES = "ruptures, exact, level pieces", "ruptures, exact, straight pieces"
TREND = "pymannkendall, Hamed and Rao"
LINE = "scipy `linregress`"
BOOTSTRAP, WELCH, ERROR, POOLED = "scipy `bootstrap`", "scipy `ttest_ind`, Welch", "scipy `sem`", "scipy `ttest_ind`"
INDEPENDENT, SOME, MUCH = (
    "independent rows",
    "rows that resemble the last by 0.6",
    "rows that resemble the last by 0.9",
)
AGREE = "They agree."
ROWS = "The judge takes rows for independent."
CUTS = "every jump within a row, and no other"
LEAST = "squared error and cuts together within 5 % of the least possible"
GROWTH = "growth called steady where it is, and only there"
SLOPE = "the 95 % interval of a slope holds the true one"
DIFFERENCE = "the 95 % interval of a difference holds the true one"
SAME = "two runs of the same are not called different at 5 %"
MEAN = "a mean's standard error is at least four fifths of the true one"

JUDGED = {
    (CUTS, "step"): Judged(100, 100, LEVELS, AGREE),
    (CUTS, "quantised"): Judged(99.5, 99.5, LEVELS, AGREE),
    (CUTS, "ramp"): Judged(100, 100, LINES, f"{AGREE} Level pieces cut every ramp into stairs."),
    (CUTS, "sawtooth"): Judged(
        97.5, 91, LINES, "A tooth that ends within two rows of an end: the judge's pieces have at least three rows."
    ),
    (LEAST, "walk"): Judged(
        92.5, 100, LINES, "Ours cuts one place at a time and then moves the cuts; the judge tries all places at once."
    ),
    (GROWTH, "step"): Judged(100, 96, TREND, "A level that steps up is a trend to the judge, to ours it is a step."),
    (GROWTH, "quantised"): Judged(100, 94.5, TREND, "As with steps."),
    (GROWTH, "ramp"): Judged(
        95, 100, TREND, "Ours asks more: all ramps that it misses rise by less than 10 times the noise of a row."
    ),
    (GROWTH, "sawtooth"): Judged(100, 100, TREND, AGREE),
    (GROWTH, "walk"): Judged(100, 82.5, TREND, "A walk drifts for long: ours wants increments alike in every block."),
    (SLOPE, "ramp"): Judged(
        100, 96.5, LINE, "The slopes are equal; ours adds to the interval what rounding can bend a line."
    ),
    (SLOPE, f"ramp, {SOME}"): Judged(98.5, 67, LINE, f"{ROWS} Ours takes blocks of rows."),
    (SLOPE, f"ramp, {MUCH}"): Judged(
        95,
        37.5,
        LINE,
        f"{ROWS} Ours widens where they resemble each other for longer than a block; at 0.97 it holds 89.",
    ),
    (DIFFERENCE, INDEPENDENT): Judged(
        96.5, 93.5, BOOTSTRAP, "Ours is 10 % wider, as in Student's t: the error was estimated too."
    ),
    (DIFFERENCE, SOME): Judged(98, 64.5, BOOTSTRAP, ROWS),
    (DIFFERENCE, MUCH): Judged(99, 39.5, BOOTSTRAP, f"{ROWS} Ours takes the degrees of freedom of the worse run."),
    (SAME, INDEPENDENT): Judged(96, 95, WELCH, "Ours never takes rows for worth more than independent ones."),
    (SAME, SOME): Judged(98.5, 64.5, WELCH, ROWS),
    (SAME, MUCH): Judged(99, 39.5, WELCH, ROWS),
    (MEAN, INDEPENDENT): Judged(100, 100, ERROR, AGREE),
    (MEAN, SOME): Judged(87.5, 0, ERROR, f"{ROWS} Ours is right in the median and spreads around it."),
    (MEAN, MUCH): Judged(69.5, 0, ERROR, "As before; 120 such rows are worth six, which tell little of their spread."),
    (DIFFERENCE, "several runs"): Judged(
        95.5, 94.5, POOLED, "Probabilities differ by less than 0.01 in 98 % of pairs."
    ),
}
"""By what is asked and of which series."""
