"""Our own statistics against those of others: scipy, ruptures, pymannkendall."""

import pytest
from scipy import stats

from ucpmon.statistics.student import upper_quantile


@pytest.mark.parametrize("level", [0.0005, 0.025])
@pytest.mark.parametrize("freedom", [3, 4, 7, 10])
def test_a_quantile_of_students_t_is_scipys_to_the_last_printed_digit(level, freedom):
    assert upper_quantile(level, freedom) == round(stats.t.isf(level, freedom), 3)
