"""Runs of live volumes: on emulated media, and recorded on real stores."""

from __future__ import annotations

import signal
import threading
from pathlib import Path

import numpy as np
import pytest

from iowatt import core
from iowatt.base.errors import InputError
from iowatt.evaluate.evaluation import run_scenario
from iowatt.evaluate.replay import run_live
from iowatt.lenses.compare.measurement import loop_of
from iowatt.lenses.kept_up import kept_up
from iowatt.run.bundle import Run
from iowatt.sources import volume
from live_volumes import SCENARIO, made, served, uri

CONTROLLER = "\n[array.controller]\nhost_bandwidth = '1GB/s'\n"


def scenario(folder: Path, scheme: str = "tiering", more: str = "max_migrations = 2", end: str = "") -> Path:
    path = folder / "scenario.toml"
    work = SCENARIO.replace(
        'volume = "v"\n', 'volume = "v"\nreplay = { mode = "closed", outstanding = 1 }\n', 1
    )
    path.write_text(work % {"scheme": scheme, "more": more} + end)
    return path


def requests(export: str, count: int) -> None:
    """Reads and writes of 4 KiB, one after another."""
    random = np.random.default_rng(3)
    core.replay_run(
        export,
        {
            "due_ns": np.zeros(count, np.uint64),
            "write": random.random(count) < 0.5,
            "offset": random.integers(0, 256, count).astype(np.uint64) * 4096,
            "size": np.full(count, 4096, np.uint32),
            "stream": np.zeros(0, np.uint32),
            "think_ns": np.zeros(0, np.uint64),
        },
        mode="closed",
        outstanding=1,
        depth=1,
        repeat=1,
        connections=1,
        direct=True,
        progress=None,
    )


def test_a_scenario_runs_live_as_it_does_in_simulation(tmp_path: Path) -> None:
    given = scenario(tmp_path)
    live = run_live(given, output=tmp_path / "live")
    simulated = run_scenario(given, output=tmp_path / "simulated")
    assert (live.summary["source"], simulated.summary["source"]) == ("emulation", "simulation")
    assert live.summary["requests"] == simulated.summary["requests"]
    for part, other in zip(live.summary["tiers"], simulated.summary["tiers"], strict=True):
        assert part["capacity_bytes"] == other["capacity_bytes"]
    # The drives are the same models: they draw no less than at rest.
    least = live.summary["power_w"]["idle"]
    assert least and live.summary["power_w"]["mean"] >= least
    assert live.summary["response_time_ms"]["all"]["mean"] > 0
    assert any("emulated media, modelled watts" in note for note in live.notes)
    assert Run.open(tmp_path / "live").summary == live.summary
    assert loop_of(live, None) == loop_of(simulated, None)


def test_a_volume_on_real_stores_records_what_it_saw(tmp_path: Path) -> None:
    stores = made(tmp_path)
    process = served(tmp_path, stores, "--record", str(tmp_path / "run"))
    requests(uri(tmp_path), 300)
    status = volume.stop(tmp_path / "v.sock")
    assert process.wait(30) == 0
    run = Run.open(tmp_path / "run")
    assert run.summary["source"] == "volume"
    assert run.summary["requests"]["count"] == sum(status["requests"]) == 300
    assert run.summary["energy"]["total_j"] is None
    assert run.plan["measured"]["volume"]["migrations"] == status["migrations"]


def test_without_a_request_nothing_is_recorded(tmp_path: Path) -> None:
    stores = made(tmp_path)
    process = served(tmp_path, stores, "--record", str(tmp_path / "run"))
    process.send_signal(signal.SIGTERM)
    assert process.wait(30) == 2
    assert not (tmp_path / "run").exists()


def test_media_of_another_volume_are_refused(tmp_path: Path) -> None:
    stores = made(tmp_path)
    other = volume.emulated_media(tmp_path / "scenario.toml", ["array.virtual_pool.hybrid.extent=128KiB"])
    with pytest.raises(InputError) as refused:
        volume.VolumeService(stores, tmp_path / "v.sock", media=other)
    assert (refused.value.code, refused.value.place) == ("unsupported", str(stores[0]))
    assert not (tmp_path / "v.sock").exists()


def test_a_controller_has_no_place_above_a_live_volume(tmp_path: Path) -> None:
    given = scenario(tmp_path, end=CONTROLLER)
    with pytest.raises(InputError) as refused:
        volume.emulated_media(given)
    assert (refused.value.code, refused.value.place) == ("unsupported", f"{given}: array.controller")


def test_a_meter_belongs_to_a_run_on_real_stores(tmp_path: Path) -> None:
    stores = made(tmp_path)
    asked = volume.ServeRequest(stores, tmp_path / "v.sock", meters=["csv:power.csv"])
    for request in (
        asked,
        volume.ServeRequest(**{**vars(asked), "record": tmp_path / "run", "media": object()}),
    ):
        with pytest.raises(InputError) as refused:
            volume.serve(request, lambda _service: None)
        assert (refused.value.code, refused.value.place) == ("conflict", "meter")


def test_several_requests_outstanding_wait_for_their_drives_together(tmp_path: Path) -> None:
    given = scenario(tmp_path)
    live = run_live(given, ["workload.w.replay.outstanding=4"], output=tmp_path / "live")
    simulated = run_scenario(given, ["workload.w.replay.outstanding=4"])
    assert live.summary["requests"] == simulated.summary["requests"]
    hits = [run.summary["tiers"][0]["hit_ratio"] for run in (live, simulated)]
    assert abs(hits[0] - hits[1]) < 0.1


def test_requests_that_a_live_run_could_not_send_in_time_are_told(tmp_path: Path) -> None:
    given = scenario(tmp_path)
    fast = ["workload.w.replay={ mode = 'open', speed = 100.0 }", "workload.w.profile.requests=1500"]
    live = run_live(given, fast, output=tmp_path / "live")
    assert live.plan["measured"]["late_share"] > 0.05
    assert not kept_up(live).kept_up
    assert not kept_up(run_scenario(given, fast)).kept_up


@pytest.mark.parametrize(
    ("overrides", "code", "place"),
    [
        (["observe.duration=1s"], "unsupported", "observe.duration"),
        (["observe.warmup=1s"], "unsupported", "observe.warmup"),
        (["seed=42"], "unsupported", "seed"),
        (
            ["array.volume.v.pool=ssd", "array.volume.v.capacity=1MiB", "workload.w.profile.span=1MiB"],
            "conflict",
            "workload.0.volume",
        ),
        (["workload.w.replay.think=1ms"], "unsupported", "workload.0.replay.think"),
    ],
)
def test_what_a_live_run_is_not_is_refused(
    tmp_path: Path, overrides: list[str], code: str, place: str
) -> None:
    given = scenario(tmp_path)
    with pytest.raises(InputError) as refused:
        run_live(given, overrides, output=tmp_path / "live")
    assert (refused.value.code, refused.value.place) == (code, f"{given}: {place}")
    assert not (tmp_path / "live").exists()


def test_hosts_of_emulated_media_are_recorded(tmp_path: Path) -> None:
    stores, given = made(tmp_path), tmp_path / "scenario.toml"
    process = served(tmp_path, stores, "--emulate", str(given), "--record", str(tmp_path / "run"))
    requests(uri(tmp_path), 60)
    status = volume.stop(tmp_path / "v.sock")
    assert process.wait(30) == 0
    run = Run.open(tmp_path / "run")
    assert run.summary["source"] == "emulation"
    assert run.summary["requests"]["count"] == sum(status["requests"]) == 60
    assert run.summary["energy"]["total_j"] > 0
    assert loop_of(run, None).kind == "recorded"
    assert volume.check(stores).journal.clean


def test_a_volume_may_be_asked_while_it_stops(tmp_path: Path) -> None:
    stores = made(tmp_path)
    service = volume.VolumeService(stores, tmp_path / "v.sock", record=True)
    requests(service.uri, 50)
    asked: list[str] = []
    over = threading.Event()

    def ask() -> None:
        while not over.is_set():
            asked.append(service.status().name)

    threads = [threading.Thread(target=ask) for _ in range(3)]
    for thread in threads:
        thread.start()
    service.stop()
    over.set()
    for thread in threads:
        thread.join()
    assert set(asked) == {"hybrid"}
    assert service.status().requests[0] + service.status().requests[1] == 50
    assert service.recorded_run("run").summary["requests"]["count"] == 50


def test_a_recording_outlives_a_meter_without_a_log(tmp_path: Path) -> None:
    stores = made(tmp_path)
    absent = f"csv:{tmp_path / 'absent.csv'}"
    process = served(tmp_path, stores, "--record", str(tmp_path / "run"), "--meter", absent)
    requests(uri(tmp_path), 50)
    volume.stop(tmp_path / "v.sock")
    assert process.wait(30) == 0
    summary = Run.open(tmp_path / "run").summary
    assert summary["requests"]["count"] == 50
    assert summary["energy"]["total_j"] is None


@pytest.mark.parametrize(
    ("given", "code", "part"),
    [(lambda fast, slow: [slow, fast], "conflict", 0), (lambda fast, _slow: [fast], "conflict", 0)],
)
def test_stores_are_named_in_the_order_of_the_parts(tmp_path: Path, given, code: str, part: int) -> None:
    stores = given(*made(tmp_path))
    with pytest.raises(InputError) as refused:
        volume.check(stores)
    assert (refused.value.code, refused.value.place) == (code, str(stores[part]))


def test_a_live_run_has_idle_periods_and_heat(tmp_path: Path) -> None:
    live = run_live(scenario(tmp_path), output=tmp_path / "live")
    assert live.has("idle")
    assert live.has("heat")
