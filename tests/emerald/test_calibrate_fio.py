"""Calibration by the installed fio on a small file."""

from __future__ import annotations

from pathlib import Path

import pytest

import needs
from iowatt.base.errors import InputError
from iowatt.emerald.calibrate import CalibrationRequest, SearchSettings, calibrate_plan
from iowatt.emerald.conduct.folder import hold
from iowatt.emerald.plan import PlanRequest, make_plan
from refused import refused

pytestmark = needs.mark("fio")

SIZE = 32 * 2**20


def planned(folder: Path) -> Path:
    file = folder / "target.dat"
    make_plan(
        PlanRequest(
            category="online", source="fio", targets=[str(file)], size_bytes=SIZE, time_scale=0.001,
            raw_capacity_bytes=10**9,
        ),
        folder / "plan",
    )  # fmt: skip
    return folder / "plan"


def test_fio_is_calibrated_on_a_file(disk_folder: Path) -> None:
    # On a tmpfs the processor that fio needs would be the limit.
    told: list[str] = []
    where = CalibrationRequest(planned(disk_folder), disk_folder / "new", point_s=1.0, settle_s=0.25)
    # No file of any machine answers 100 requests per second later than in a second.
    asked = SearchSettings(limit_ms=1000.0, start=100.0, most_runs=3, most_outstanding=4, phases=["RW", "SW"])
    found = calibrate_plan(where, asked, talk=told.append)
    random_phase, sequential = found.phases
    assert random_phase.chosen is not None and sequential.chosen is not None
    assert random_phase.chosen.verdict == "meets"
    assert random_phase.chosen.rate_iops >= 100
    assert random_phase.points[0].rate_iops == 100
    assert sequential.chosen.mib_per_s > 0 and not sequential.settled
    assert found.source == "fio" and found.tool.startswith("fio-")
    assert any("pre-fill" in line for line in told)
    # Each point's files are kept, and the fill's.
    kept = {path.name for path in (disk_folder / "new" / "points").iterdir()}
    assert len(kept) == 1 + len(random_phase.points) + len(sequential.points)
    assert all((disk_folder / "new" / "points" / name / "fio.json").is_file() for name in kept)
    # The job files of the new plan have the rate.
    job = (disk_folder / "new" / "fio" / "RW.fio").read_text("utf-8")
    assert "RATE NOT FOUND" not in job and "rate_iops=" in job
    # What is there now is not written over without being named again.
    with refused("unsafe-target"):
        calibrate_plan(
            CalibrationRequest(disk_folder / "plan", disk_folder / "other"), asked, talk=told.append
        )
    assert not (disk_folder / "other.calibrating").exists()


def test_a_second_calibration_of_the_folder_or_the_target_is_refused(tmp_path: Path) -> None:
    """While one runs: told of its pre-fill, others ask for the same."""
    where = CalibrationRequest(planned(tmp_path), tmp_path / "new", point_s=1.0, settle_s=0.25)
    target = str(tmp_path / "target.dat")
    said: list[tuple[str, str]] = []

    class Enough(Exception):
        pass

    def told(line: str) -> None:
        for other in (
            CalibrationRequest(where.plan, where.output),
            CalibrationRequest(where.plan, where.output, erase=target, resume=True),
            CalibrationRequest(where.plan, tmp_path / "other", erase=target),
        ):
            with pytest.raises(InputError) as caught:
                calibrate_plan(other, SearchSettings(limit_ms=1000.0), talk=print)
            said.append((caught.value.code, str(caught.value.place)))
        raise Enough

    with pytest.raises(Enough):
        calibrate_plan(where, SearchSettings(limit_ms=1000.0), talk=told)
    staging = str(where.output.with_name("new.calibrating"))
    assert said == [("in-use", staging), ("in-use", target), ("in-use", target)]
    # Nothing had been run: nothing is left.
    assert sorted(path.name for path in tmp_path.iterdir()) == ["plan"]


def test_a_folder_in_which_one_runs_is_not_resumed(tmp_path: Path) -> None:
    where = CalibrationRequest(planned(tmp_path), tmp_path / "new", resume=True)
    staging = tmp_path / "new.calibrating"
    staging.mkdir()
    with hold(staging), refused("in-use", str(staging)):
        calibrate_plan(where, SearchSettings(limit_ms=1000.0), talk=print)
    assert not (tmp_path / "target.dat").exists(), "what was made for it is gone"
