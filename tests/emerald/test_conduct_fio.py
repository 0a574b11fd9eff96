"""Measurements by real fio on a small file, whole, and broken in every way that we know of."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import conducted
import pytest

import iowatt
import needs
from iowatt.base.errors import InputError
from iowatt.emerald.conduct.drivers.fio import FioDriver
from iowatt.emerald.conduct.folder import MeasurementFolder
from iowatt.emerald.conduct.sequence import Stopped, conduct
from iowatt.emerald.driver import DriverError
from iowatt.emerald.measurement import events
from iowatt.sources.meters.log.instrument import Instrument, MeterError, Reading
from iowatt.sources.meters.recording.recorder import read_log
from refused import printed_code, refused

pytestmark = needs.mark("fio")

LONG = conducted.short(measured=60.0)


@pytest.fixture
def tmp_path(disk_folder):
    """Whether fio works is told by the bytes it moves to and from block devices."""
    return disk_folder


def test_a_measurement_runs_from_end_to_end(tmp_path):
    path = conducted.plan(tmp_path)
    done = conducted.run(path, "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["finished"] and found["compliant"] and found["deviations"] == []
    assert [s["status"] for s in found["stages"]] == ["finished"] * 7
    assert [seam["stage"] for seam in found["seams"]] == [
        "conditioning",
        "RR-warmup",
        "RR",
        "RW-warmup",
        "RW",
    ]
    assert all(0 <= seam["seconds"] < 10 for seam in found["seams"])
    gaps = [s["attempts"][0]["gap_s"] for s in found["stages"]]
    assert gaps[0] is None and all(gap >= 0 for gap in gaps[1:])
    out = tmp_path / "out"
    before, after = (json.loads((out / f"settings-{w}.json").read_bytes()) for w in ("before", "after"))
    assert before["settings"] == after["settings"]
    assert before["settings"]["driver"].startswith("fio-")
    written = json.loads((out / "stages" / "fill" / "fio.json").read_text())["jobs"][0]["write"]["io_bytes"]
    assert written == conducted.BYTES
    assert "s left" in done.stderr
    again = conducted.run(path)
    assert again.returncode == 2 and printed_code(again.stderr) == "exists"
    again = conducted.run(path, "--force")
    assert again.returncode == 2 and printed_code(again.stderr) == "unsafe-target"
    assert (out / "stages" / "RW" / "fio.json").exists(), "nothing was replaced"
    assert conducted.run(path, "--resume").returncode == 0, "there is nothing left to do"


def test_a_killed_fio_leaves_a_truthful_record_that_goes_on(tmp_path):
    path = conducted.plan(tmp_path, LONG)
    process = conducted.start(path, "--json")
    (fio,) = conducted.wait_for(process, path, "RR")
    os.kill(fio, signal.SIGKILL)
    said, talk = process.communicate(timeout=60)
    assert process.returncode == 1
    assert printed_code(talk) == "tool-failed" and "SIGKILL" in talk and "--resume" in talk
    found = json.loads(said)
    assert not found["finished"]
    assert [s["status"] for s in found["stages"]] == [*["finished"] * 3, "failed", *["waiting"] * 3]
    assert "SIGKILL" in found["stages"][3]["attempts"][0]["text"]
    assert conducted.left(path, 0) == []

    # What is left takes seconds, for this test; a plan may not change otherwise.
    for file in (path, tmp_path / "out" / "plan.json"):
        file.write_text(file.read_text().replace("60.0", "1.0"))
    done = conducted.run(path, "--resume", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["finished"] and not found["compliant"] and found["resumed"] == 1
    (deviation,) = found["deviations"]
    assert deviation["stage"] == "RR-warmup"
    # Not that a phase was repeated: nothing but the conditioning lay before it.
    (resumed,) = [e for e in conducted.journal(path) if e.event == "resumed"]
    assert resumed.values["stage"] == "RR-warmup" and not resumed.values["compliant"]
    assert "conditioning" in resumed.values["why"] == deviation["text"]
    folders = {s["stage"]: [a["folder"] for a in s["attempts"]] for s in found["stages"]}
    assert folders["RR-warmup"] == ["stages/RR-warmup", "stages/RR-warmup/attempt-2"]
    assert folders["conditioning"] == ["stages/conditioning"]
    assert (tmp_path / "out" / "stages" / "RR-warmup" / "fio.json").exists(), "the first attempt is kept"


def test_repeating_the_whole_active_test_complies_again(tmp_path):
    stages = conducted.short()
    path = conducted.plan(tmp_path, stages)
    plan = conducted.load(path)
    folder = prepared(plan, tmp_path)
    with refused("tool-failed", re.compile(r"stage RW\b"), DriverError) as caught:
        conduct(plan, Dying(folder.id, "RW"), folder)
    assert "SIGKILL" in caught.value.message
    folder.close()
    folder = MeasurementFolder(tmp_path / "out", plan, resume=True)
    state = conduct(plan, FioDriver(folder.id), folder, restart_active=True)
    folder.close()
    assert state.finished and state.deviations == []
    assert [len(s.attempts) for s in state.stages] == [1, 2, 2, 2, 2, 2, 1]
    assert [s.counted.number for s in state.stages] == [1, 2, 2, 2, 2, 2, 1]


def test_a_killed_job_is_found_though_fio_ends_as_if_nothing_had_happened(tmp_path, monkeypatch):
    from iowatt.emerald.conduct.drivers import fio as fio_driver

    plan = conducted.load(conducted.plan(tmp_path, conducted.short(measured=3.0)[3:4]))
    folder = prepared(plan, tmp_path)
    sound = fio_driver.job_text
    # Jobs that are processes, as fio has them where nobody asks for threads.
    monkeypatch.setattr(fio_driver, "job_text", lambda *a, **k: sound(*a, **k).replace("thread=1\n", ""))

    class OneJob(Dying):
        def kill(self):
            while len(found := conducted.marked(self.mark)) < 2:
                time.sleep(0.01)
            job = next(pid for pid in found if conducted.parent(pid) in found)
            conducted.wait_until_working(job)
            os.kill(job, signal.SIGKILL)

    with refused("tool-failed", re.compile(r"stage RR\b"), DriverError) as caught:
        conduct(plan, OneJob(folder.id, "RR"), folder)
    assert re.search(r"\b9$", caught.value.message)
    folder.close()


def test_a_failed_stage_is_tried_again_at_once_where_asked_for(tmp_path):
    plan = conducted.load(conducted.plan(tmp_path))
    folder = prepared(plan, tmp_path)
    told = []
    state = conduct(plan, Dying(folder.id, "RW"), folder, retries=1, talk=told.append)
    folder.close()
    assert state.finished and state.resumed == 1
    assert [d.stage for d in state.deviations] == ["RW-warmup"]
    assert re.search(r"\bRW\b", state.deviations[0].text)
    assert any("RW-warmup" in line for line in told)
    (resumed,) = [e for e in events(folder.path) if e.event == "resumed"]
    assert resumed.values["stage"] == "RW-warmup" and not resumed.values["compliant"]


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_a_signal_ends_it_in_order(tmp_path, number, code):
    path = conducted.plan(tmp_path, LONG)
    process = conducted.start(path, "--json")
    (fio,) = conducted.wait_for(process, path, "RR")
    # In its own start a signal ends it at once.
    conducted.wait_until_working(fio, lambda: process.poll() is not None)
    process.send_signal(number)
    said, talk = process.communicate(timeout=60)
    assert process.returncode == code
    assert "--resume" in talk
    found = json.loads(said)
    assert found["stages"][3]["status"] == "interrupted"
    assert conducted.left(path, 0) == []
    results = (tmp_path / "out" / "stages" / "RR" / "fio.json").read_text()
    assert '"jobs"' in results, "fio was given the time to write what it had"
    assert (tmp_path / "out" / "settings-after.json").exists()


def test_killed_without_a_chance_it_leaves_no_process_and_goes_on(tmp_path):
    path = conducted.plan(tmp_path, LONG)
    process = conducted.start(path)
    conducted.wait_for(process, path, "RR")
    process.kill()
    process.communicate()
    assert conducted.left(path) == [], "fio outlived iowatt"
    with (tmp_path / "out" / "journal.jsonl").open("ab") as file:
        file.write(b'{"at": 17')  # as a crash leaves it
    for file in (path, tmp_path / "out" / "plan.json"):
        file.write_text(file.read_text().replace("60.0", "0.5"))
    done = conducted.run(path, "--resume", "--restart-active", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["finished"] and found["compliant"]
    assert [a["outcome"] for a in found["stages"][3]["attempts"]] == ["broken", "finished"]


def test_a_break_that_a_resumption_allows_is_not_held_against_the_measurement(tmp_path):
    """The pre-fill ended long before the conditioning began: that lies between no two stages that count."""
    plan = conducted.load(conducted.plan(tmp_path, conducted.short()[:4]))
    folder = prepared(plan, tmp_path)
    with refused("tool-failed", re.compile(r"stage RR\b"), DriverError) as caught:
        conduct(plan, Dying(folder.id, "RR"), folder)
    assert "SIGKILL" in caught.value.message
    folder.close()
    time.sleep(2.1)  # longer than the limit below, between the pre-fill and the second conditioning
    folder = MeasurementFolder(tmp_path / "out", plan, resume=True)
    state = conduct(plan, FioDriver(folder.id), folder, restart_active=True, gap_limit_s=2.0)
    folder.close()
    assert state.finished and state.result(folder.path).compliant, state.deviations
    assert [seam["stage"] for seam in state.seams] == ["RR-warmup", "RR"]


def test_a_measurement_that_lacks_only_its_end_is_finished(tmp_path):
    plan = conducted.load(conducted.plan(tmp_path, conducted.short()[2:4]))
    folder = prepared(plan, tmp_path)
    conduct(plan, FioDriver(folder.id), folder)
    folder.close()
    journal = folder.path / "journal.jsonl"
    lines = journal.read_text().splitlines(keepends=True)
    journal.write_text("".join(lines[:-1]))
    folder = MeasurementFolder(tmp_path / "out", plan, resume=True)
    state = conduct(plan, FioDriver(folder.id), folder)
    folder.close()
    assert state.finished and state.resumed == 0 and state.deviations == []
    assert [s["stage"] for s in state.seams] == ["RR"]


def test_results_that_a_crash_has_lost_are_measured_again(tmp_path):
    plan = conducted.load(conducted.plan(tmp_path, conducted.short()[2:6]))
    folder = prepared(plan, tmp_path)
    with pytest.raises(DriverError):
        conduct(plan, Dying(folder.id, "RW"), folder)
    folder.close()
    (folder.path / "stages" / "RR" / "fio.json").write_bytes(
        b""
    )  # as a machine that lost its power leaves it
    folder = MeasurementFolder(tmp_path / "out", plan, resume=True)
    state = conduct(plan, FioDriver(folder.id), folder)
    folder.close()
    assert state.finished
    assert [len(s.attempts) for s in state.stages] == [2, 2, 2, 2]
    lost = state.stages[1].attempts[0]
    assert lost.outcome == "failed" and "fio.json" in lost.text


def test_a_changed_setting_is_named_in_the_journal_and_the_result(tmp_path):
    plan = conducted.load(conducted.plan(tmp_path, conducted.short()[2:4]))
    folder = prepared(plan, tmp_path)

    class Upgraded(FioDriver):
        def run(self, *given):
            super().run(*given)
            self._version = "fio-9.99"

    state = conduct(plan, Upgraded(folder.id), folder)
    folder.close()
    (changed,) = state.changes
    assert re.match(r"driver\b.*\bfio-\d.*\bfio-9\.99$", changed)
    assert not state.result(folder.path).compliant


def test_a_long_break_between_stages_is_a_deviation(tmp_path):
    plan = conducted.load(conducted.plan(tmp_path, conducted.short()[2:4]))
    target = tmp_path / "target.bin"
    target.write_bytes(bytes(conducted.BYTES))
    folder = MeasurementFolder(tmp_path / "out", plan)
    state = conduct(plan, FioDriver(folder.id), folder, gap_limit_s=0.01)
    folder.close()
    (deviation,) = state.deviations
    assert deviation.stage == "RR"
    assert re.search(r"\d s\b", deviation.text)


def test_a_stage_that_ends_too_soon_has_failed(tmp_path):
    plan = conducted.load(conducted.plan(tmp_path, conducted.short()[2:4]))
    folder = prepared(plan, tmp_path)

    class Hasty(FioDriver):
        def run(self, *_):
            return

    with refused("tool-failed", re.compile(r"stage RR-warmup\b"), DriverError) as caught:
        conduct(plan, Hasty(), folder)
    assert re.findall(r"[\d.]+ s", caught.value.message) == ["0.0 s", "0.5 s"]
    folder.close()
    assert [e.event for e in events(folder.path)][-1] == "stage-failed"


def test_a_job_file_that_fio_refuses_is_found_before_anything_runs(tmp_path, monkeypatch):
    from iowatt.emerald.conduct.drivers import fio as fio_driver

    sound = fio_driver.job_text
    monkeypatch.setattr(fio_driver, "job_text", lambda *a, **k: sound(*a, **k) + "no_such_option=1\n")
    given = conducted.load(conducted.plan(tmp_path))
    with refused("tool-failed", f"stage {given.stages[0].id}") as caught:
        FioDriver().check(given)
    assert re.search(r"fio-.*no_such_option", caught.value.message)


# Instruments


class Faulty:
    """A meter or thermometer that answers, then dies, and comes back."""

    def __init__(self, name, quantity, dead=(0.0, 0.0)):
        self.name, self.quantity, self.dead = name, quantity, dead
        self.begun = time.monotonic()
        self.opened = self.closed = 0

    def open(self):
        if not self.opened:
            self.begun = time.monotonic()
        self.opened += 1
        return Instrument(self.name, "faulty", "indicative", "made by a test")

    def read(self):
        begin, end = self.dead
        if begin <= time.monotonic() - self.begun < end:
            raise MeterError("unreachable", None, "unplugged")
        return Reading(time.time(), {self.quantity: 100.0})

    def close(self):
        self.closed += 1


@pytest.fixture
def instruments(monkeypatch):
    """Addresses that lead to the meters of a test."""
    made = {}
    monkeypatch.setattr("iowatt.sources.meters.source.is_live", lambda text: text in made)
    monkeypatch.setattr("iowatt.sources.meters.source.meter", lambda text: made[text])
    return made


PDU = {"name": "pdu 1", "source": "faulty:power", "role": "power"}
INLET = {"name": "inlet", "source": "faulty:inlet", "role": "temperature"}


def test_a_meter_that_dies_and_comes_back_is_recorded_and_the_measurement_goes_on(tmp_path, instruments):
    instruments["faulty:power"] = Faulty("pdu 1", "watts", (1.0, 1.8))
    instruments["faulty:inlet"] = Faulty("inlet", "celsius")
    # Long beside the outage: a busy machine asks again late.
    plan = conducted.load(conducted.plan(tmp_path, conducted.short(measured=5.0)[2:4], [PDU, INLET]))
    folder = prepared(plan, tmp_path)
    state = conduct(plan, FioDriver(folder.id), folder)
    folder.close()
    assert state.finished
    assert [(m["event"], m["meter"]) for m in state.meters] == [
        ("meter-failed", "pdu 1"),
        ("meter-back", "pdu 1"),
    ]
    assert state.meters[0]["text"] == "unplugged"
    power, inlet = (read_log(folder.path / "meters" / name) for name in ("pdu-1.csv", "inlet.csv"))
    begun, ended = state.stages[0].attempts[0].started, state.stages[1].attempts[0].ended
    # The inlet never failed: its longest gap says how late this machine asks.
    late = (inlet.time_s[1:] - inlet.time_s[:-1]).max()
    for log, quantity in ((power, "watts"), (inlet, "celsius")):
        assert log.time_s[0] <= begun and log.time_s[-1] > ended - 0.3 - late
        assert set(log.quantities[quantity]) == {100.0}
    gaps = power.time_s[1:] - power.time_s[:-1]
    assert gaps.max() > 0.5, "no sample was made up for the time without an answer"
    assert any(p.kind == "failure" and "unplugged" in p.text for p in power.problems)
    assert all(meter.closed for meter in instruments.values())


def test_without_an_instrument_of_the_plan_nothing_begins(tmp_path, instruments):
    instruments["faulty:power"] = Faulty("pdu 1", "watts", (0.0, 1e9))
    plan = conducted.load(conducted.plan(tmp_path, conducted.short()[2:4], [PDU]))
    folder = prepared(plan, tmp_path)
    with pytest.raises(InputError) as caught:
        conduct(plan, FioDriver(folder.id), folder)
    assert "pdu 1" in str(caught.value) and "unplugged" in caught.value.message
    folder.close()
    assert not (folder.path / "stages" / "RR-warmup").exists()
    assert not any(e.event == "stage-started" for e in events(folder.path))


def test_a_log_that_somebody_else_writes_is_copied_at_the_end(tmp_path):
    log = tmp_path / "power.csv"
    log.write_text("when,P\n2026-01-01T00:00:00,5\n")
    analyser = {"name": "wt310", "source": f"csv:{log}?time=when&watts=P&utc-offset=Z", "role": "power"}
    plan = conducted.load(conducted.plan(tmp_path, conducted.short()[2:4], [analyser]))
    folder = prepared(plan, tmp_path)
    told = []
    conduct(plan, FioDriver(folder.id), folder, talk=told.append)
    folder.close()
    assert (folder.path / "meters" / "wt310-log.csv").read_bytes() == log.read_bytes()
    assert told == []


def test_recordings_of_a_resumed_measurement_go_on_in_their_files(tmp_path, instruments):
    instruments["faulty:power"] = Faulty("pdu 1", "watts")
    plan = conducted.load(conducted.plan(tmp_path, conducted.short()[2:4], [PDU]))
    folder = prepared(plan, tmp_path)
    stop = threading.Event()
    threading.Timer(0.3, stop.set).start()
    with pytest.raises(Stopped):
        conduct(plan, FioDriver(folder.id), folder, stop=stop)
    folder.close()
    samples = len(read_log(folder.path / "meters" / "pdu-1.csv").time_s)
    assert samples > 0
    instruments["faulty:power"] = Faulty("pdu 1", "watts")
    folder = MeasurementFolder(tmp_path / "out", plan, resume=True)
    state = conduct(plan, FioDriver(folder.id), folder)
    folder.close()
    assert state.finished
    after = read_log(folder.path / "meters" / "pdu-1.csv")
    assert len(after.time_s) > samples
    assert "failure" in [problem.kind for problem in after.problems]


# A disk that fills

FILLING = """
set -e
mount -t tmpfs -o size=40m tmpfs {place}
cp {plan} {place}/plan.json
cd {place}
({python} -c 'from iowatt.cli.main import main; main()' emerald run plan.json -o out --target {target} \
    > {said} 2> {talk} || echo $? > {code}) &
for i in $(seq 600); do grep -q '"RR"' out/journal.jsonl 2> /dev/null && break; sleep 0.05; done
head -c 30m /dev/zero > {place}/somebody-elses-file 2> /dev/null || true
wait
cp -r out {kept}
"""


def test_a_disk_that_fills_stops_it_while_it_can_still_be_written(tmp_path):
    place = tmp_path / "small"
    place.mkdir()
    path = conducted.plan(tmp_path, LONG)
    files = {name: tmp_path / name for name in ("said", "talk", "code", "kept")}
    script = FILLING.format(
        place=place, plan=path, python=sys.executable, target=tmp_path / "target.bin", **files
    )
    tried = subprocess.run(["unshare", "-rm", "true"], capture_output=True, check=False)
    if tried.returncode != 0:
        pytest.skip("this system lets nobody make a file system of their own")
    package = str(Path(iowatt.__file__).parent.parent)
    done = subprocess.run(
        ["unshare", "-rm", "sh", "-c", script],
        env={**os.environ, "PYTHONPATH": package},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert files["code"].read_text().strip() == "1"
    assert printed_code(files["talk"].read_text()) == "unwritable"
    found = list(events(files["kept"]))
    assert (found[-1].event, found[-1].values["stage"]) == ("stage-failed", "RR")
    assert "full" in found[-1].values["text"]


# What the tests above share


def prepared(plan, tmp_path):
    """The target, filled, and a fresh folder."""
    (tmp_path / "target.bin").write_bytes(os.urandom(conducted.BYTES))
    return MeasurementFolder(tmp_path / "out", plan)


class Dying(FioDriver):
    """fio that is killed in its first attempt at one stage."""

    def __init__(self, mark, stage):
        super().__init__(mark)
        self.stage = stage

    def run(self, plan, stage, folder, stop):
        if stage.id != self.stage:
            super().run(plan, stage, folder, stop)
            return
        self.stage = None
        killer = threading.Thread(target=self.kill)
        killer.start()
        try:
            super().run(plan, stage, folder, stop)
        finally:
            killer.join()

    def kill(self):
        deadline = time.monotonic() + 30
        while not (found := conducted.marked(self.mark)) and time.monotonic() < deadline:
            time.sleep(0.01)
        os.kill(min(found), signal.SIGKILL)
