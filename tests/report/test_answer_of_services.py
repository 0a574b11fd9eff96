"""What the first lines of a Run say of libraries and of copies on remote arrays."""

from __future__ import annotations

from pathlib import Path

import iowatt
from iowatt.lenses.findings import findings
from iowatt.pages.run.answer import answer
from iowatt.render import numbers

EXAMPLES = Path(__file__).parents[2] / "examples"


def sentence(run, beginning):
    (found,) = [one for one in answer(run) if one.startswith(beginning)]
    return found


def test_how_long_cartridges_wait_is_said_first():
    run = iowatt.run(EXAMPLES / "tape-library.toml", set=["observe.duration=10min"])
    (library,) = run.summary["libraries"]
    said = sentence(run, "Mount wait in tapes")
    assert numbers.duration(library["mount_wait_s"]["max"]) in said
    assert numbers.counted(library["mounts"], "mount") in said


def test_how_far_copies_are_behind_is_said_first():
    changes = ['replication.dr.mode={name="journal", size="1GiB"}', "observe.duration=7s"]
    run = iowatt.run(EXAMPLES / "replication.toml", set=changes)
    lag = run.summary["replications"][0]["lag"]
    assert lag["max_s"] > 1.9, "a loss of two seconds"
    assert numbers.duration(lag["max_s"]) in sentence(run, "Replication dr lags")


def test_copies_of_synchronous_writes_are_never_behind():
    run = iowatt.run(EXAMPLES / "replication.toml", set=["replication.dr.outage=[]", "observe.duration=2s"])
    assert run.summary["replications"][0]["lag"]["max_s"] == 0
    assert sentence(run, "Replication dr never lags.")


def test_a_limit_that_holds_the_load_back_is_said_before_what_piles_up():
    run = iowatt.run(EXAMPLES / "array-services.toml", set=["array.volume.db.qos={iops=50}"])
    codes = [note.code for note in findings(run)]
    assert codes.index("at-qos-limit") < codes.index("long-drain")
