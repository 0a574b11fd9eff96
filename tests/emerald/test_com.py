"""COM tests: sets are what they say, verdicts follow from space, data is read back."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest

import needs
from iowatt.base.errors import Argument
from iowatt.emerald import rules
from iowatt.emerald.com import ComRequest, procedures, run_tests
from iowatt.emerald.com.dataset import BLOCK, CHUNK, DataSet
from iowatt.emerald.com.repeat import interval, repeated
from iowatt.emerald.com.result import ComTest, Verdict, size_text
from iowatt.emerald.com.storage import Commands, Patience, Store
from refused import refused

SIZE = 4 << 20
YES, NO, NOT_TESTED, UNDECIDED = get_args(Verdict)
RULES = "emerald-4.0.0"

SCENARIO = """
name = "thin"
[[array.pool]]
name = "disks"
device = "arrays2002-disk"
count = 6
raid = {{ level = 5, stripe_unit = "64KiB" }}
[[array.virtual_pool]]
name = "saved"
scheme = "reduced"
part = "disks"
thin = true
filled = 0.4
{more}
[observe]
duration = "10s"
"""


class Account:
    """Free space that a test decides: each action costs what is next in the list."""

    def __init__(self, place: Path, costs: list[int]) -> None:
        self.left, self.costs, self.asked = 10**12, list(costs), 0

    def free(self) -> int:
        self.asked += 1
        if self.asked % 2 and self.asked > 1:  # two readings for each action: it stands still at once
            self.left -= self.costs.pop(0)
        return self.left


def asked(target, **changes):
    given = {
        "target": target, "rules": RULES, "only": (), "size": SIZE, "seed": 1, "raw": None, "protected": None,
        "free_command": None, "commands": Commands(), "patience": Patience(30, 0.02),
    } | changes  # fmt: skip
    return ComRequest(**given)


def run(given, output=None, force=False):
    return run_tests(given, output=output, force=force, progress=lambda _: None)


def store(tmp_path, costs):
    return Store(tmp_path, Account(tmp_path, costs), Commands(), Patience(5, 0))


@pytest.mark.parametrize("page", [1024, 4096, 8192, 16384])
def test_sets_are_as_reducible_as_they_say(page):
    plain = DataSet("irreducible", 8 << 20, 1).reducible(page)
    assert plain.duplicates == 0
    assert plain.compression == 1
    few = DataSet("duplicable", 8 << 20, 1).reducible(page)
    assert few.duplicates > 0.9
    zeros = DataSet("compressible", 8 << 20, 1).reducible(page)
    assert zeros.duplicates == 0
    assert 2.5 < zeros.compression < 4.1


def test_sets_of_other_seeds_and_kinds_share_no_block():
    seen = set()
    for data in (
        DataSet("irreducible", CHUNK, 1),
        DataSet("irreducible", CHUNK, 2),
        DataSet("compressible", CHUNK, 1),
    ):
        whole = b"".join(data.chunks())
        blocks = {whole[i : i + BLOCK] for i in range(0, CHUNK, BLOCK)}
        assert len(blocks) == CHUNK // BLOCK
        assert not blocks & seen
        seen |= blocks
    assert b"".join(DataSet("irreducible", CHUNK + 5, 1).chunks())[:CHUNK] == DataSet(
        "irreducible", 1, 1
    ).chunk(0)


@pytest.mark.parametrize(
    ("cost", "verdict"), [(SIZE, "no"), (SIZE // 2, "yes"), (int(0.95 * SIZE), "no"), (0, "yes")]
)
def test_a_set_that_costs_clearly_less_is_reduced(tmp_path, cost, verdict):
    found = procedures.TESTS["compression"](store(tmp_path, [SIZE, cost]), rules.load(RULES), SIZE, 1)
    assert found.verdict == verdict
    assert found.percent == pytest.approx(100 * cost / SIZE)
    assert found.unverified == ["com.compression.cost_percent_most"]


def test_space_that_does_not_show_writes_says_nothing(tmp_path):
    found = procedures.TESTS["compression"](store(tmp_path, [SIZE // 2, 0]), rules.load(RULES), SIZE, 1)
    assert found.verdict == NOT_TESTED
    assert size_text(SIZE) in found.why and size_text(SIZE // 2) in found.why


def of_figure(percent, limit=10.0):
    return ComTest("compression", "yes" if percent <= limit else "no", "", (), percent, limit)


@pytest.mark.parametrize(
    ("figures", "verdict", "tries"),
    [
        ([0.1, 0.1], YES, 2),
        ([99.8, 99.9], NO, 2),
        # A busy machine: one try far off. Of the mean nothing is certain; the median of nine is.
        ([54.88, *[0.1 + 0.01 * k for k in range(8)]], YES, 9),
        ([0.1, 54.88, *[0.1 + 0.01 * k for k in range(7)]], YES, 9),
        # Values that scatter about the limit tell nothing.
        ([2.0, 18.0] * 5, UNDECIDED, 9),
    ],
)
def test_a_test_is_repeated_until_its_figure_is_certain(figures, verdict, tries):
    asked_for = []

    def one_try(number):
        asked_for.append(number)
        return of_figure(figures[number])

    found = repeated(one_try)
    assert (found.verdict, len(asked_for)) == (verdict, tries)
    assert list(found.tries_percent) == figures[:tries]
    low, high = found.interval_percent
    assert (verdict == UNDECIDED) == (low <= 10.0 < high)


def test_the_interval_is_that_of_student_or_of_the_sign_test():
    assert interval([1.0]) is None
    # Mean 2, deviation sqrt(2), t(1) = 12.706: half of it is 12.706 * sqrt(2) / sqrt(2).
    low, high = interval([1.0, 3.0])
    assert (low, high) == (pytest.approx(2 - 12.706, abs=1e-3), pytest.approx(2 + 12.706, abs=1e-3))
    # Nine values: P(B(9, 1/2) < 2) = 10 / 512, twice that is under 5 %: the second and the eighth.
    assert interval([1, 2, 3, 4, 5, 6, 7, 8, 1000]) == (2, 8)


def test_an_answer_without_a_figure_needs_a_second_try():
    broken, fine = ComTest("compression", "no", "does not read back"), of_figure(0.1)
    assert repeated([broken, broken].__getitem__).verdict == NO
    tried = [broken, fine, fine]
    assert repeated(tried.__getitem__, 3).verdict == YES


COUNT = """
import os, sys
seen = {}
for folder, _, names in os.walk(sys.argv[1]):
    for name in names:
        found = os.stat(os.path.join(folder, name))
        seen[found.st_ino] = found.st_blocks * 512
print(10**12 - sum(seen.values()))
"""


@pytest.fixture
def own(tmp_path):
    """A folder, and a command for its free space that nothing else on this file system moves."""
    script, place = tmp_path / "count.py", tmp_path / "place"
    script.write_text(COUNT)
    place.mkdir()
    return place, f"{sys.executable} {script} {place}"


def test_on_files_thin_works_and_nothing_is_left(own):
    place, free = own
    document = run(
        asked(place, only=("thin-provisioning", "parity-raid"), raw=12, protected=6, free_command=free)
    )
    by_name = {one.com: one for one in document.coms}
    assert by_name["thin-provisioning"].verdict == "yes"
    assert by_name["parity-raid"].verdict == "no"
    assert not list(place.iterdir())
    assert "unverified" in {note.code for note in document.notes}


def test_a_snapshot_that_follows_its_source_is_none(own):
    """A hard link is cheap, and changes with its source."""
    linked = f"{shutil.which('cp')} -al {{source}} {{target}}"
    place, free = own
    commands = Commands(snapshot=linked)
    document = run(asked(place, only=("read-only-delta-snapshots",), commands=commands, free_command=free))
    (found,) = document.coms
    assert found.verdict == "no"
    assert "source" in found.why


def test_a_full_copy_is_no_delta_snapshot(own):
    place, free = own
    copied = f"{shutil.which('cp')} -r {{source}} {{target}}"
    (found,) = run(
        asked(
            place,
            only=("writeable-delta-snapshots",),
            commands=Commands(clone=copied),
            free_command=free,
        )
    ).coms
    assert found.verdict == "no"
    assert found.percent > 90


@pytest.fixture
def btrfs(tmp_path):
    needs.program("mkfs.btrfs", "btrfs-progs")
    image, place = tmp_path / "image", tmp_path / "mounted"
    place.mkdir()
    with image.open("wb") as file:
        file.truncate(400 << 20)
    subprocess.run(["mkfs.btrfs", "-q", str(image)], check=True, capture_output=True)
    done = subprocess.run(
        ["mount", "-o", "loop,compress=zstd", str(image), str(place)],
        check=False,
        capture_output=True,
        text=True,
    )
    if done.returncode:
        pytest.skip(f"a loop device cannot be mounted here: {done.stderr.strip()}")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def test_a_real_file_system_with_compression_and_snapshots(btrfs):
    commands = Commands(
        create="btrfs subvolume create {target}",
        snapshot="btrfs subvolume snapshot -r {source} {target}",
        clone="btrfs subvolume snapshot {source} {target}",
        remove="btrfs subvolume delete {target}",
    )
    document = run(asked(btrfs, size=16 << 20, commands=commands))
    assert {one.com: one.verdict for one in document.coms} == {
        "read-only-delta-snapshots": YES,
        "writeable-delta-snapshots": YES,
        "thin-provisioning": YES,
        "data-deduplication": NO,  # btrfs does none by itself
        "parity-raid": NOT_TESTED,
        "compression": YES,
    }
    assert not list(btrfs.iterdir())


@pytest.mark.parametrize(
    ("more", "verdicts"),
    [
        ("", {"compression": "no", "data-deduplication": "no", "read-only-delta-snapshots": "no"}),
        ("compression = 2.0", {"compression": "yes", "data-deduplication": "no"}),
        ("duplicates = 0.2", {"compression": "no", "data-deduplication": "yes"}),
        ('snapshots = { interval = "1h", retain = 2 }', {"read-only-delta-snapshots": "yes"}),
    ],
)
def test_a_simulated_pool_has_what_its_scenario_says(tmp_path, more, verdicts):
    scenario = tmp_path / "thin.toml"
    scenario.write_text(SCENARIO.format(more=more))
    document = run(asked(scenario, size=16 << 20))
    found = {one.com: one.verdict for one in document.coms}
    assert found | verdicts == found
    assert found["thin-provisioning"] == "yes"
    assert found["parity-raid"] == "yes"
    assert document.source == "simulation"


def test_what_is_wrong_is_named(tmp_path):
    with refused("unknown-name", Argument("only")):
        run(asked(tmp_path, only=("dedupe",)))
    with refused("out-of-range", Argument("data_size")):
        run(asked(tmp_path, size=1000))
    with refused("infeasible", str(tmp_path)):
        run(asked(tmp_path, size=10**15))
    with refused("not-found", str(tmp_path / "nowhere")):
        run(asked(tmp_path / "nowhere", only=("compression",)))
    with refused("tool-output", "echo 12 GB"):
        run(asked(tmp_path, only=("compression",), free_command="echo 12 GB"))
    assert not list(tmp_path.iterdir())
    scenario = tmp_path / "plain.toml"
    scenario.write_text('name = "plain"\n[[array.pool]]\nname = "d"\ndevice = "arrays2002-disk"\ncount = 1\n')
    with refused("unsupported", str(scenario)) as caught:
        run(asked(scenario))
    assert " 0 " in caught.value.message


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("snap {from} {target}", "unknown-name"),
        ("snap {} {target}", "unknown-name"),
        ("snap {source.x} {target}", "unknown-name"),
        ("snap {source", "tool-failed"),
    ],
)
def test_a_command_that_cannot_be_run_is_named(own, command, code):
    place, free = own
    commands = Commands(snapshot=command)
    with refused(code, commands.snapshot):
        run(asked(place, only=("read-only-delta-snapshots",), commands=commands, free_command=free))
    assert not list(place.iterdir())


def test_the_result_is_written_whole_or_not_at_all(tmp_path):
    file = tmp_path / "com.json"
    document = run(asked(tmp_path, only=("parity-raid",)), output=file)
    assert json.loads(file.read_text()) == document.as_dict()
    with refused("exists", str(file)):
        run(asked(tmp_path, only=("parity-raid",)), output=file)


def test_capacities_that_contradict_are_refused(tmp_path):
    with refused("out-of-range", Argument("protected")):
        run(asked(tmp_path, only=("parity-raid",), raw=10, protected=20))
    scenario = tmp_path / "thin.toml"
    scenario.write_text(SCENARIO.format(more=""))
    with refused("not-applicable", Argument("raw")):
        run(asked(scenario, raw=10))


def test_space_that_never_stands_still_spoils_its_own_test_only(own):
    place, _ = own
    moving = place.parent / "moving.py"
    moving.write_text("import time\nprint(10**12 - time.time_ns() % 10**12)\n")
    given = asked(
        place,
        only=("compression", "parity-raid"),
        raw=12,
        protected=10,
        free_command=f"{sys.executable} {moving}",
        patience=Patience(0.2, 0.02),
    )
    found = {one.com: one for one in run(given).coms}
    assert found["compression"].verdict == NOT_TESTED
    assert "0.02 s" in found["compression"].why
    assert found["parity-raid"].verdict == "yes"


def test_what_went_wrong_first_is_said_although_nothing_can_be_removed(own):
    place, free = own
    commands = Commands(snapshot="false {source} {target}", remove="false {target}")
    given = asked(place, only=("read-only-delta-snapshots",), commands=commands, free_command=free)
    with refused("tool-failed", commands.snapshot) as said:
        run(given)
    assert any("iowatt-com-" in note for note in said.value.__notes__)
