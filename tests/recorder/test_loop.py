"""The recording loop in this process, where a day must not last a day."""

from pathlib import Path

import pytest
from support.recording import table
from support.simulation import alive, drawn, program, wait_for

from ucpmon.captures import open_capture
from ucpmon.errors import UsageError
from ucpmon.monitor.link import Local
from ucpmon.monitor.options import MonitorOptions
from ucpmon.monitor.session import RecordingClock
from ucpmon.recorder import Job, Recording, Signals, survey
from ucpmon.recorder.ending import how_it_ended
from ucpmon.recorder.fleet import short_names
from ucpmon.runs import RunFiles, read_json
from ucpmon.screens.pipeline import Pipeline, samples


def job(folder, **values):
    monitor = program(folder / "monitor", "--scenario", "busy", "--log", folder / "log")
    options = MonitorOptions(interval_ms=100, batch=True)
    return Job(RunFiles(folder / "run.csv"), Local(), (str(monitor),), options, **values)


def test_a_recording_without_an_end_starts_the_monitor_anew_when_its_day_is_over(tmp_path, monkeypatch):
    monkeypatch.setattr("ucpmon.recorder.job.ENDLESS_S", 1)
    monkeypatch.setattr("ucpmon.recorder.job.MARGIN_S", 0)
    monkeypatch.setattr("ucpmon.recorder.source.ENDLESS_S", 1)
    monkeypatch.setattr("ucpmon.recorder.source._LEAST_LIFE_US", 1_000_000)
    endless, said = job(tmp_path, count=25), []
    with Signals() as signals:
        recording = Recording(endless, survey(endless.link, endless.program), signals, said.append)
        ending = recording.run()
    assert (ending.reason, ending.code) == ("count reached", 0)
    assert len(table(tmp_path / "run.csv")) >= 25
    assert any("started it anew" in text for text in said)
    assert len(read_json(tmp_path / "run.json")["quality"]["gaps"]) >= 1


def test_a_mistake_of_ours_in_reading_keeps_the_stream(tmp_path, monkeypatch):
    feed, calls = Pipeline.feed, []

    def faulty(self, chunk):
        calls.append(chunk)
        if len(calls) == 12:
            raise KeyError("oops")
        return feed(self, chunk)

    monkeypatch.setattr(Pipeline, "feed", faulty)
    short, said = job(tmp_path, duration_us=2_500_000), []
    with Signals() as signals:
        Recording(short, survey(short.link, short.program), signals, said.append).run()
    assert [text.partition(";")[0] for text in said] == ["ucpmon cannot read on (KeyError: 'oops')"]
    rows = len(table(tmp_path / "run.csv"))
    monkeypatch.undo()
    with open_capture(tmp_path / "run.cast") as capture:
        assert len(list(samples(capture.chunks(), capture.info))) > rows + 5


def test_what_nobody_understands_is_said_while_it_happens(tmp_path, monkeypatch):
    monkeypatch.setattr("ucpmon.recorder.watch._UNREAD_US", 500_000)
    strange, said = job(tmp_path, duration_us=1_500_000), []
    program(tmp_path / "monitor", "--fault", "garbage")
    with Signals() as signals:
        ending = Recording(strange, survey(strange.link, strange.program), signals, said.append).run()
    assert said[0].startswith("the monitor has printed nothing that is understood for ")
    assert "not understood, such as '?? nothing that anybody can read: 42 ??'" in said[1]
    assert len(said) == 2
    assert ending.code == 4


def test_a_run_that_somebody_else_began_meanwhile_is_left_alone(tmp_path):
    (tmp_path / "run.csv").write_text("theirs")
    mine = job(tmp_path)
    with Signals() as signals, pytest.raises(UsageError, match="is being written by another program"):
        Recording(mine, survey(mine.link, mine.program), signals, print)
    assert (tmp_path / "run.csv").read_text() == "theirs"
    assert wait_for(lambda: not (tmp_path / "log").exists() or not alive(drawn(tmp_path / "log")[0]["pid"]))


def test_a_shared_clock_counts_from_its_own_start_and_the_duration_from_ours(tmp_path):
    clock = RecordingClock()
    earlier = RecordingClock((clock.start[0] - 60_000_000_000, clock.start[1] - 60_000_000))
    short = job(tmp_path, duration_us=700_000)
    with Signals() as signals:
        recording = Recording(short, survey(short.link, short.program), signals, lambda text: None, earlier)
        assert recording.run().code == 0
    times = [float(row["elapsed_s"]) for row in table(tmp_path / "run.csv")]
    assert 60 < times[0] < times[-1] < 63
    assert len(times) >= 3


def test_the_monitor_is_told_to_end_by_itself_a_little_later():
    some = Job(RunFiles(Path("run.csv")), Local(), ("m",), MonitorOptions(), duration_us=90_000_000)
    assert some.command(",", 90_000_000)[-2:] == ["-t", "120"]
    assert some.command(",", 10_400_000)[-2:] == ["-t", "41"]
    assert some.command(",", None)[-2:] == ["-t", "86430"]


def test_how_a_program_ended_in_words():
    assert how_it_ended(0) == "exited with status 0"
    assert how_it_ended(-11) == how_it_ended(139) == "was killed by SIGSEGV"
    assert how_it_ended(255) == "exited with status 255"
    assert how_it_ended(None) == "cannot be ended"


def test_files_are_named_for_the_machine_and_safe():
    assert short_names(["root@board-a", "10.0.0.2", "root@[fe80::1%eth0]"]) == ["board-a", "10.0.0.2", "fe80_1_eth0"]
