"""Whether a need fits, from the smallest free memory of each heap and the order in which drivers look."""

import pytest

from ucpmon.errors import InputError, UsageError
from ucpmon.memory.fit import fit, parse_need
from ucpmon.memory.ranges import HeapRange
from ucpmon.metrics import GIB, MIB
from ucpmon.statistics.resolution import Figure


def heap(name, free, error=0.05 * MIB, not_ram=""):
    return HeapRange(name, None, None, None, None, Figure(float(free), error, "free"), 0.0, not_ram)


HEAPS = [
    heap("cma_reserved", 1016 * MIB),
    heap("ion_cma", 512 * MIB),
    heap("carveout", 200 * MIB),
    heap("spare", 9 * GIB),
]


@pytest.mark.parametrize(
    ("need", "first", "verdict", "where"),
    [
        (100 * MIB, None, "fits", "carveout"),
        (600 * MIB, None, "fits only elsewhere", "cma_reserved"),
        (2 * GIB, None, "does not fit", None),
        (600 * MIB, "cma_reserved", "fits", "cma_reserved"),
        (600 * MIB, "ion_cma", "does not fit", None),
        (100 * MIB, "ion_cma", "fits", "ion_cma"),
        (8 * GIB, "spare", "fits", "spare"),
    ],
)
def test_verdicts(need, first, verdict, where):
    found = fit(need, HEAPS, first)
    assert (found.verdict, found.heap) == (verdict, where)
    assert found.ok == (verdict != "does not fit")


def test_the_order_of_the_places_is_the_drivers():
    assert [p.heap for p in fit(MIB, HEAPS).places] == ["carveout", "cma_reserved", "ion_cma", "spare"]
    assert [p.heap for p in fit(MIB, HEAPS, "cma_reserved").places][:3] == ["cma_reserved", "carveout", "ion_cma"]
    assert [p.reached for p in fit(MIB, HEAPS).places] == [True, True, True, False]


def test_a_coarse_figure_is_no_promise():
    coarse = [heap("carveout", GIB, 0.05 * GIB)]
    assert fit(round(0.94 * GIB), coarse).verdict == "fits"
    unsure = fit(GIB, coarse)
    assert (unsure.verdict, unsure.ok) == ("too close to call", False)
    assert fit(round(1.06 * GIB), coarse).verdict == "does not fit"


def test_an_address_window_holds_nothing():
    found = fit(GIB, [heap("carveout", 900 * GIB, not_ram="an address window")])
    assert found.verdict == "does not fit"


def test_a_heap_that_is_not_there():
    with pytest.raises(InputError, match="no heap vram"):
        fit(MIB, HEAPS, "vram")
    with pytest.raises(InputError, match="shows no heap"):
        fit(MIB, [])


def test_a_need_as_typed():
    assert parse_need("7.4G") == round(7.4 * GIB)
    assert parse_need("") is None
    for bad in ("", "lots", "-3M", "0", "nan"):
        with pytest.raises(UsageError):
            parse_need(bad, "carveout" if not bad else "")
