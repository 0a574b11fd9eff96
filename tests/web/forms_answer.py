"""An answer of a search, as a worker would leave it."""

from __future__ import annotations

from pathlib import Path

from iowatt.evaluate.choose.result import Choose, SystemFigures

TITLE = "4 x 7.68 TB SATA TLC in RAID-10"


def write_answer(workspace: Path, identity: str) -> str:
    """The answer of a job; its path in the workspace."""
    best = SystemFigures(
        family="flash-sata", title=TITLE, devices=["solidigm-d3-s4520-7-68tb"], count=4, unit="drives",
        confirmed=True, usd=5730.0, by_group={}, purchase_usd=5000.0, watts=24.7, p50_ms=0.1, p95_ms=0.23,
        p99_ms=0.5, levels=[], usable_tb=15.0, rack_units=2, loss_per_year=6.8e-5, carbon_kg=None,
        utilisation=0.1, evidence="A", missed=[],
    )  # fmt: skip
    found = Choose(
        name="small", asked="2 TB", years=5, winner=best, next=None, too_close=[], families=[],
        systems=[best], errors=[], break_evens=[], relaxed=[], what_if=[], footprints=[], cost=None,
        scenarios=[], simulations=3, notes=[],
    )  # fmt: skip
    folder = workspace / "answers" / identity
    folder.mkdir(parents=True)
    (folder / "choose.json").write_text(found.json_text(), encoding="utf-8")
    return folder.relative_to(workspace).as_posix()
