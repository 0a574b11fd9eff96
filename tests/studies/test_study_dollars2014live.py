"""The live study on a few requests: every system is simulated and live, and a finished live Run is kept."""

from __future__ import annotations

from dataclasses import replace

from iowatt.run.bundle import Run
from iowatt.studies import find
from iowatt.studies.conduct import conduct
from iowatt.studies.dollars2014.live_systems import LIVE_WORKS, LiveScale
from iowatt.studies.dollars2014.systems import SYSTEMS

TINY = LiveScale(0.02)


def test_every_system_runs_live_beside_its_simulation(tmp_path):
    study = replace(find("dollars2014live"), scale=TINY)
    seen = []
    done = conduct(study, tmp_path / "study", jobs=2, progress=seen.append)
    assert not done.failed
    assert not done.faults
    assert seen[-1].total == 2 * len(LIVE_WORKS) * len(SYSTEMS)
    live = {
        path.parent.parent.name: Run.open(path.parent) for path in tmp_path.glob("study/live/*/*/run.json")
    }
    assert set(live) == {f"{work.key}-{system}" for work in LIVE_WORKS for system in SYSTEMS}
    for stage, row in done.results.rows():
        simulated, own = done.results.run(stage, row), done.results.live(stage, row)
        assert (simulated.summary["source"], own.summary["source"]) == ("simulation", "emulation")
        assert own.summary["requests"] == simulated.summary["requests"]
        assert own.summary["requests"]["count"] == TINY.requests
        assert own.plan["simulation"]["virtual_pools"] == simulated.plan["simulation"]["virtual_pools"]
        if stage.labels["system"] in ("ssd", "hdd", "linear"):
            assert [tier["hit_ratio"] for tier in own.summary["tiers"]] == [
                tier["hit_ratio"] for tier in simulated.summary["tiers"]
            ]
    keys = {verdict.key for verdict in done.result.verdicts}
    assert keys >= {"hits", "reads", "writes", "once", "long-run", "ssd-only"}
    before = {name: run.summary["provenance"]["started_at"] for name, run in live.items()}
    again = conduct(study, tmp_path / "study", resume=True)
    kept = {stage.key: again.results.live(stage, row) for stage, row in again.results.rows()}
    assert {name: run.summary["provenance"]["started_at"] for name, run in kept.items()} == before
    assert again.result.verdicts == done.result.verdicts
