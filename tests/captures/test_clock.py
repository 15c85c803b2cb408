"""The clocks of captures: zones, summer time, years that nobody wrote, sums without drift, steps back."""

import datetime as dt
import json
import os
import time

import pytest

from ucpmon.captures import open_capture
from ucpmon.captures.timestamps import Clock, micros, nanos, parse_iso, zone_of
from ucpmon.errors import UsageError

UTC = dt.timezone.utc


def us(*moment):
    return int(dt.datetime(*moment, tzinfo=UTC).timestamp()) * 1_000_000


@pytest.fixture(params=["UTC", "Asia/Shanghai"])
def machine_zone(request, monkeypatch):
    """This machine's zone is a user's own."""
    monkeypatch.setenv("TZ", request.param)
    time.tzset()
    yield request.param
    monkeypatch.undo()
    time.tzset()


def stamped(tmp_path, *stamps, mtime=None, **options):
    """``(capture, the time of each line)`` of a log of one line a stamp."""
    path = tmp_path / "log"
    path.write_text("".join(f"{s} | BPU0 {i}.0 |\n" for i, s in enumerate(stamps)))
    if mtime:
        os.utime(path, (mtime, mtime))
    with open_capture(path, **options) as capture:
        chunks = list(capture.chunks())
    assert b"".join(c.data for c in chunks).decode() == "".join(f"| BPU0 {i}.0 |\n" for i in range(len(stamps)))
    return capture, [c.t_us for c in chunks for _ in range(c.data.count(b"\n"))]


def test_a_stamp_without_a_zone_is_this_machines(tmp_path, machine_zone):
    capture, times = stamped(tmp_path, "2026-12-01T04:27:48.000120", "2026-12-01 04:27:49")
    hour = {"UTC": 4, "Asia/Shanghai": -4}[machine_zone]
    assert capture.info.started_us == us(2026, 12, 1) + (hour * 3600 + 27 * 60 + 48) * 1_000_000 + 120
    assert times == [0, 999_880]


@pytest.mark.parametrize("zone", ["Asia/Shanghai", "+08:00", "UTC+8", "+0800"])
def test_or_in_the_zone_asked_for(tmp_path, zone, machine_zone):
    capture, _ = stamped(tmp_path, "2026-12-01T04:27:48", "2026-12-01T04:27:49", tz=zone)
    assert capture.info.started_us == us(2026, 11, 30, 20, 27, 48)


def test_or_in_its_own(tmp_path, machine_zone):
    capture, times = stamped(tmp_path, "[2026-12-01 04:27:48.5+0100]", "[2026-12-01 03:27:49.5Z]", tz="Asia/Shanghai")
    assert capture.info.started_us == us(2026, 12, 1, 3, 27, 48) + 500_000
    assert times == [0, 1_000_000]


@pytest.mark.parametrize("name", ["Nowhere/City", "25", "../etc/passwd", "+99:00", ""])
def test_no_such_zone(name):
    with pytest.raises(UsageError, match="no time zone"):
        zone_of(name)


def test_the_hour_that_comes_twice(tmp_path):
    stamps = ["2026-10-25 02:59:58", "2026-10-25 02:59:59", "2026-10-25 02:00:00", "2026-10-25 02:00:01"]
    capture, times = stamped(tmp_path, *stamps, "2026-10-25 03:00:00", tz="Europe/Berlin")
    assert capture.info.started_us == us(2026, 10, 25, 0, 59, 58)
    assert times == [0, 1_000_000, 2_000_000, 3_000_000, 3_602_000_000]
    assert capture.notes == []


def test_the_hour_that_never_comes(tmp_path):
    capture, times = stamped(tmp_path, "2026-03-29 01:59:59", "2026-03-29 03:00:00", tz="Europe/Berlin")
    assert capture.info.started_us == us(2026, 3, 29, 0, 59, 59)
    assert times == [0, 1_000_000]


@pytest.mark.parametrize(
    ("mtime", "year"),
    [((2026, 12, 1, 5), 2026), ((2027, 11, 1), 2026), ((2026, 11, 30, 23), 2026), ((2026, 11, 29), 2025)],
)
def test_the_year_of_a_syslog_stamp_is_the_latest_before_the_file(tmp_path, mtime, year):
    capture, _ = stamped(tmp_path, "Dec 01 04:27:48", "Dec 01 04:27:49", tz="UTC", mtime=us(*mtime) // 10**6)
    assert capture.info.started_us == us(year, 12, 1, 4, 27, 48)


def test_syslog_stamps_pass_new_year(tmp_path):
    stamps = ["Dec 31 23:59:59", "Jan 01 00:00:00", "Jan 01 00:00:01"]
    capture, times = stamped(tmp_path, *stamps, tz="UTC", mtime=us(2027, 1, 1) // 10**6)
    assert capture.info.started_us == us(2026, 12, 31, 23, 59, 59)
    assert times == [0, 1_000_000, 2_000_000]


def test_syslog_stamps_of_a_leap_day_and_of_a_chinese_locale(tmp_path):
    capture, _ = stamped(tmp_path, "Feb 29 01:00:00", "Feb 29 01:00:01", tz="UTC", mtime=us(2026, 5, 1) // 10**6)
    assert capture.info.started_us == us(2024, 2, 29, 1)
    capture, times = stamped(
        tmp_path, "12月 01 04:27:48.5", "12月 01 04:27:49.75", tz="UTC", mtime=us(2026, 12, 2) // 10**6
    )
    assert capture.info.started_us == us(2026, 12, 1, 4, 27, 48) + 500_000
    assert times == [0, 1_250_000]


def test_epoch_stamps_are_exact(tmp_path):
    capture, times = stamped(tmp_path, "1796098072.133353", "1796098072.233353", "1796098073.133354")
    assert capture.info.started_us == 1796098072_133353
    assert times == [0, 100_000, 1_000_001]


def test_times_since_the_start_count_from_there(tmp_path):
    capture, times = stamped(tmp_path, "00:00:00.250000", "00:00:01.250001", "23:59:59.5", "00:00:00.5")
    assert times == [250_000, 1_250_001, 86_399_500_000, 86_400_500_000]
    assert capture.info.started_us is None
    given, _ = stamped(tmp_path, "00:00:00.250000", "00:00:01.250001", start_us=77)
    assert given.info.started_us == 77


def test_a_time_of_day_counts_from_the_first_line_and_over_midnight(tmp_path):
    _, times = stamped(tmp_path, "23:59:58", "23:59:59,5", "00:00:00", "00:00:01")
    assert times == [0, 1_500_000, 2_000_000, 3_000_000]


def test_steps_since_the_line_before_add_up_without_drift(tmp_path):
    steps = ["0.100000", "0.000001", "0.000001"] * 30_000
    _, times = stamped(tmp_path, *steps)
    assert times[-1] == 30_000 * 100_002
    assert times == sorted(times)


def test_steps_in_whole_seconds(tmp_path):
    stamps = ["00:00:00", "00:00:00", "00:00:01", "00:00:00", "00:00:01", "00:00:00"]
    _, times = stamped(tmp_path, *stamps)
    assert times == [0, 0, 1_000_000, 1_000_000, 2_000_000, 2_000_000]


def test_a_clock_that_is_set_back_is_told_and_time_goes_on(tmp_path):
    stamps = ["2026-12-01T04:00:00", "2026-12-01T04:00:01", "2026-12-01T03:00:00", "2026-12-01T03:00:01"]
    capture, times = stamped(tmp_path, *stamps, tz="UTC")
    assert times == [0, 1_000_000, 1_000_000, 2_000_000]
    assert len(capture.notes) == 1 and "steps back by 3601 s at byte" in capture.notes[0]


def test_a_little_disorder_is_held(tmp_path):
    notes = []
    clock = Clock(notes)
    assert [clock.at(t, 0) for t in (0, 500_000, 400_000, 450_000, 600_000)] == [
        0,
        500_000,
        500_000,
        500_000,
        600_000,
    ]
    for back in range(10):
        clock.at(600_000 - back, 0)
    assert len(notes) == 4 and notes[-1].endswith("only the first three times are listed")


def test_casts_put_together_go_on_by_their_headers(tmp_path):
    path = tmp_path / "two.cast"
    lines = []
    for stamp in (1796100000, 1796100060):
        lines += [{"version": 2, "width": 80, "height": 24, "timestamp": stamp}, [0.5, "o", "a"], [1.5, "o", "b"]]
    path.write_text("".join(json.dumps(x) + "\n" for x in lines))
    with open_capture(path) as capture:
        assert [c.t_us for c in capture.chunks() if c.data] == [500_000, 1_500_000, 60_500_000, 61_500_000]
    assert capture.damage == []


def test_decimal_seconds_are_read_exactly():
    assert micros("0.1") == 100_000
    assert nanos("1796098072.133353999") == 1796098072_133353999
    assert nanos("5e-06") == 5_000
    assert micros("2") == 2_000_000
    for text in ("", "x", "1e99", "1" * 50, "nan", "Infinity"):
        with pytest.raises((ValueError, ArithmeticError)):
            nanos(text)


@pytest.mark.parametrize("text", ["2026-12-01 04:07:10+00:00", "2026-12-01T04:07:10Z", "2026-12-01 04:07:10,000 +0000"])
def test_iso_moments(text):
    assert parse_iso(text) == dt.datetime(2026, 12, 1, 4, 7, 10, tzinfo=UTC)


@pytest.mark.parametrize("text", ["2026-12-01", "2026-13-01 04:07:10", "04:07:10", "2026-12-01 04:07:10 PST"])
def test_what_is_no_moment(text):
    with pytest.raises(ValueError, match=r"moment|month"):
        parse_iso(text)


@pytest.mark.parametrize(
    ("form", "stamps"),
    [
        ("ctime", ["Tue Dec  1 04:27:48 2026", "Tue Dec  1 04:27:49 2026", "Tue Dec 01 04:27:50 2026"]),
        ("journal", [f"2026-12-01T04:27:{s}+0000 s100 hrt_ucp_monitor[81]:" for s in (48, 49, 50)]),
        ("syslog", [f"Dec 01 04:27:{s} s100 monitor.sh:" for s in (48, 49, 50)]),
    ],
)
def test_stamps_of_other_loggers(tmp_path, form, stamps):
    capture, times = stamped(tmp_path, *stamps, tz="UTC", mtime=us(2026, 12, 2) // 10**6)
    assert capture.info.started_us == us(2026, 12, 1, 4, 27, 48)
    assert times == [0, 1_000_000, 2_000_000]


def test_whole_seconds_are_stamps_only_before_a_table(tmp_path):
    _, times = stamped(tmp_path, "0", "0", "1", "2")
    assert times == [0, 0, 1_000_000, 2_000_000]
    path = tmp_path / "list"
    path.write_text("0 apples\n1 pears\n2 plums\n")
    with open_capture(path) as capture:
        assert capture.info.format == "text"


def test_a_damaged_first_stamp_does_not_hide_the_others(tmp_path):
    path = tmp_path / "log"
    lines = ["2026X12-01T04:27:47 | BPU0 0.0 |", *(f"2026-12-01T04:27:{48 + i} | BPU0 {i}.0 |" for i in range(10))]
    path.write_text("".join(f"{line}\n" for line in lines))
    with open_capture(path, tz="UTC") as capture:
        assert [c.t_us for c in capture.chunks()][-1] == 9_000_000
    assert capture.info.started_us == us(2026, 12, 1, 4, 27, 48)
    assert capture.damage == ["a line has no stamp (others may follow): it was read as it is, at byte 0"]
