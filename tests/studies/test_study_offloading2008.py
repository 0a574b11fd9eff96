"""The offloading2008 study on some hours and HP's week: directions, and where off-loaded bytes went."""

from __future__ import annotations

from dataclasses import replace

import pytest

from iowatt.studies.conduct import conduct
from iowatt.studies.offloading2008 import points, systems
from iowatt.studies.study import find

WORKS = ("pauses", "hp")


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    study = replace(find("offloading2008"), scale=0.1, keep=lambda stage: stage.labels["work"] in WORKS)
    done = conduct(study, tmp_path_factory.mktemp("study") / "short", quick=True)
    return done, points.read(done.results)


def test_every_scheme_was_run_and_nothing_failed(found):
    done, by = found
    assert (done.failed, done.faults) == (0, [])
    assert set(by) == {(work, scheme) for work in WORKS for scheme in systems.SCHEMES}
    codes = [note.code for note in done.result.notes]
    assert codes[0] == "reduced"
    assert {"synthetic-volumes", "stand-in-drive", "maid-cache", "hp-week"} <= set(codes)


def test_off_loading_saves_more_than_spinning_down_alone(found):
    _, by = found
    alone, off = by["pauses", "spin-down"], by["pauses", "write-off-loading"]
    assert 0 < alone.saved < off.saved < 1 - systems.STOPPED_W / systems.IDLE_W
    assert off.mean_ms < alone.mean_ms
    assert off.starts < alone.starts


def test_the_cache_of_maid_spares_the_data_drives(found):
    _, by = found
    assert by["pauses", "maid"].saved > by["pauses", "spin-down"].saved
    # One drive more for two is no saving, however seldom those start.
    assert by["hp", "maid"].saved < by["hp", "spin-down"].saved
    assert by["hp", "maid"].starts < by["hp", "spin-down"].starts / 5


@pytest.mark.parametrize("work", WORKS)
def test_every_off_loaded_byte_is_accounted_for(found, work):
    _, by = found
    counts = by[work, "write-off-loading"].movement
    assert counts["off_loaded_bytes"] > 0
    assert counts["off_loaded_bytes"] == (
        counts["superseded_bytes"] + counts["reclaimed_bytes"] + counts["log_bytes_at_end"]
    )


@pytest.mark.parametrize("work", WORKS)
def test_every_scheme_answers_the_same_requests(found, work):
    _, by = found
    assert len({by[work, scheme].requests for scheme in systems.SCHEMES}) == 1


def test_verdicts_that_differ_say_why(found):
    done, _ = found
    verdicts = done.result.verdicts
    keys = {"spin-down-range", "write-off-loading-range", "off-loading-more", "maid", "pdc"}
    assert {one.key for one in verdicts} == keys
    assert all(one.agrees or (one.cause and one.experiment) for one in verdicts)
    title = next(work.title for work in systems.works(1.0) if work.key == "pauses")
    assert all(one.agrees for one in verdicts if one.key == "off-loading-more" and one.case == title)
