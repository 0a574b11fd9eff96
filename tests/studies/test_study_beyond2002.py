"""The beyond2002 study on a twentieth of its requests: what holds of any such loads, drives and policies."""

from __future__ import annotations

from dataclasses import replace

import pytest

from iowatt.studies.beyond2002 import points, systems
from iowatt.studies.conduct import conduct
from iowatt.studies.study import find

SHARES = (1.0, 0.0001)


def kept(stage):
    if stage.labels["kind"] == "policy":
        return stage.labels["work"] == "hp" and stage.labels["drive"] == "laptop"
    return stage.labels["work"] in {"hosting", "database"} and stage.labels["share"] in SHARES


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    study = replace(find("beyond2002"), scale=0.05, keep=kept)
    done = conduct(study, tmp_path_factory.mktemp("study") / "short", quick=True)
    return done, points.read(done.results)


def test_every_point_was_run_and_every_piece_of_work_is_judged(found):
    done, all_points = found
    assert (done.failed, done.faults) == (0, [])
    assert len(all_points.all) == 2 * 2 * len(SHARES) + len(systems.POLICIES)
    assert {one.key for one in done.result.verdicts} == {
        "under-load", "laptop-under-load", "laptop-drives", "batching", "prediction",
    }  # fmt: skip
    assert all(one.agrees or (one.cause and one.experiment) for one in done.result.verdicts)
    assert done.result.notes[0].code == "reduced"


@pytest.mark.parametrize("work", ["hosting", "database"])
def test_perfect_knowledge_saves_more_the_lower_the_load_and_never_loses(found, work):
    _, by = found
    for drive in systems.DRIVES:
        full, low = (by.one("load", work=work, drive=drive, share=share) for share in SHARES)
        assert 0 <= full.saves["oracle"] < 0.01 < low.saves["oracle"]
        assert full.idle_s < full.break_even_s < low.idle_s
        for one in (full, low):
            assert all(saved <= one.saves["oracle"] + 1e-9 for saved in one.saves.values())
    # A start that takes less time pays for shorter periods.
    server, laptop = (by.one("load", work=work, drive=d, share=SHARES[0]) for d in systems.DRIVES)
    assert laptop.break_even_s < server.break_even_s
    assert laptop.power_w < server.power_w < laptop.power_w * 50


def test_a_prediction_lets_fewer_requests_wait_than_who_waits_for_them(found):
    _, by = found
    one = {p.policy: p for p in by.of("policy", work="hp", drive="laptop")}
    assert one["oracle"].waited == one["never"].waited < 0.001
    assert one["oracle"].mean_ms == pytest.approx(one["never"].mean_ms)
    assert one["oracle"].power_w < one["law-driven"].power_w < one["never"].power_w
    assert one["law-driven"].waited < one["two-competitive"].waited
    assert one["arima"].waited < one["two-competitive"].waited
    assert one["batching"].starts < one["two-competitive"].starts
    assert one["batching"].mean_ms > one["two-competitive"].mean_ms
