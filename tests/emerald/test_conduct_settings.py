"""Settings before and after, and targets that nobody overwrites by mistake."""

from __future__ import annotations

import errno
import os
import re
from pathlib import Path

import conducted
import pytest

from figures import figures
from iowatt.base.errors import Argument, InputError
from iowatt.emerald import targets as target
from iowatt.emerald.conduct import settings
from iowatt.emerald.conduct.begin import read_plan
from iowatt.emerald.conduct.drivers import idle as idle_stage
from refused import refused


def test_equal_settings_have_no_changes_and_a_change_is_named(tmp_path):
    file = tmp_path / "target.bin"
    file.write_bytes(bytes(4096))
    before = settings.snapshot([file], driver="fio-3.33")
    assert (
        settings.compare(before["settings"], settings.snapshot([file], driver="fio-3.33")["settings"]) == []
    )
    file.write_bytes(bytes(8192))
    after = settings.snapshot([file], driver="fio-3.36")
    named = [str(change) for change in settings.compare(before["settings"], after["settings"])]
    assert [re.findall(r"fio-[\d.]+|\b\d{4}\b", one) for one in named] == [
        ["fio-3.33", "fio-3.36"],
        ["4096", "8192"],
    ]
    assert named[1].startswith(f"target {file}")


def test_what_a_scenario_says_is_a_setting(tmp_path):
    scenario = tmp_path / "array.toml"
    scenario.write_text("a")
    before = settings.snapshot([], driver="simulation", files=[scenario])["settings"]
    scenario.write_text("b")
    after = settings.snapshot([], driver="simulation", files=[scenario])["settings"]
    assert [c.what for c in settings.compare(before, after)] == [f"file {scenario}"]


def test_a_setting_that_came_or_went_is_named():
    changes = settings.compare({"a": "1", "b": "2"}, {"b": "2", "c": "3"})
    assert [(c.what, c.before, c.after) for c in changes] == [("a", "1", None), ("c", None, "3")]
    assert len({str(c) for c in changes}) == 2


def test_a_target_that_is_gone_is_said_to_be(tmp_path):
    found = settings.snapshot([tmp_path / "gone"], driver=None)["settings"]
    assert found[f"target {tmp_path / 'gone'}: kind"].endswith(os.strerror(errno.ENOENT))
    assert not [key for key in found if key.endswith(": bytes")]


def test_queue_settings_of_the_device_below_a_file_are_read(disk_folder):
    found = settings.snapshot([disk_folder], driver=None)["settings"]
    assert any(name.endswith("queue/scheduler") for name in found)


@pytest.fixture
def plan(tmp_path):
    return conducted.load(conducted.plan(tmp_path))


def test_a_target_that_is_not_there_is_made_with_its_space(plan, tmp_path):
    with target.claimed(plan, None) as claim:
        claim.keep()
    found = (tmp_path / "target.bin").stat()
    assert found.st_size == conducted.BYTES
    assert found.st_blocks * 512 >= conducted.BYTES


def test_a_file_that_exists_must_be_named_twice(plan, tmp_path):
    file = tmp_path / "target.bin"
    file.write_bytes(bytes(conducted.BYTES))
    with refused("unsafe-target", str(file)), target.claimed(plan, None):
        pass
    with (
        refused("conflict", Argument("erase")),
        target.claimed(plan, str(tmp_path / "other.bin")),
    ):
        pass
    with target.claimed(plan, str(file)) as claim:
        claim.keep()
    ours = [target.identity(file)]
    with target.claimed(plan, None, ours=ours) as claim:
        claim.keep()
    file.unlink()
    with refused("not-found", str(file)), target.claimed(plan, None, ours=ours):
        pass


def test_a_target_that_is_too_small_or_no_file_is_refused(plan, tmp_path):
    file = tmp_path / "target.bin"
    file.write_bytes(bytes(4096))
    with refused("out-of-range", str(file)), target.claimed(plan, str(file)):
        pass
    file.unlink()
    file.mkdir()
    with pytest.raises(InputError) as caught, target.claimed(plan, str(file)):
        pass
    assert caught.value.place == str(file)


def test_more_than_the_file_system_has_is_refused_before_anything_is_made(plan, tmp_path):
    large = plan.model_copy(update={"target": plan.target.model_copy(update={"size_bytes": 1 << 60})})
    with pytest.raises(InputError) as caught, target.claimed(large, None):
        pass
    assert caught.value.place == str(tmp_path / "target.bin") and str(1 << 60) in caught.value.message
    assert not (tmp_path / "target.bin").exists()


def test_a_block_device_must_be_named_twice(plan, monkeypatch, tmp_path):
    device = plan.model_copy(update={"target": plan.target.model_copy(update={"path": "/dev/a-disk"})})
    blocks = os.stat_result((0o060660, *tmp_path.stat()[1:]))
    monkeypatch.setattr("pathlib.Path.stat", lambda *_, **__: blocks)
    with pytest.raises(InputError) as caught, target.claimed(device, None):
        pass
    assert caught.value.place == "/dev/a-disk" and "/dev/a-disk" in caught.value.hint


@pytest.mark.parametrize(
    ("change", "code", "key"),
    [
        ({"stages": []}, "wrong-format", "stages"),
        ({"time_scale": 2}, "wrong-format", "time_scale"),
        ({"stages": [conducted.stage("../RR", "RR", "measurement", "RR", 1.0)]}, "bad-syntax", "stages"),
        ({"stages": [conducted.stage("idle", "RI", "idle", None, None)]}, "missing", "stage idle: seconds"),
        ({"stages": 2 * [conducted.stage("RR", "RR", "measurement", "RR", 1.0)]}, "duplicate", "stages"),
    ],
)
def test_a_plan_that_is_none_is_refused_with_its_place(tmp_path, change, code, key):
    path = (
        conducted.plan(tmp_path, **change)
        if "stages" not in change
        else conducted.plan(tmp_path, change["stages"])
    )
    with refused(code, f"{path}: {key}"):
        read_plan(path)


def test_hostile_bytes_are_no_plan(tmp_path):
    path = tmp_path / "plan.json"
    for hostile in (b"", b"\xff\xfe", b"[]", b'{"schema": "iowatt.emerald-plan/2"}', b"{" * 10_000):
        path.write_bytes(hostile)
        with pytest.raises(InputError):
            read_plan(path)
    with pytest.raises(InputError):
        read_plan(tmp_path)


def test_a_rest_of_files_is_not_disturbed_by_others(tmp_path):
    import threading

    idle_stage.rest(0.05, tmp_path, threading.Event(), lambda: idle_stage.requests([tmp_path]))
    assert idle_stage.disturbed(tmp_path, [tmp_path]) is None, "a directory shares its device with others"


def test_requests_to_a_device_during_a_rest_are_counted(tmp_path, monkeypatch):
    (tmp_path / idle_stage.REST).write_text('{"requests": {"sdz": {"reads": 3, "writes": 1}}}')
    monkeypatch.setattr("pathlib.Path.is_block_device", lambda _: True)
    told = idle_stage.disturbed(tmp_path, [Path("/dev/sdz")])
    assert figures(told) == [4] and told.endswith("sdz")


def test_a_folder_with_a_plan_is_a_plan(tmp_path):
    assert read_plan(conducted.plan(tmp_path)) == read_plan(tmp_path)


def test_another_target_stands_in_place_of_the_plans_but_not_of_a_scenario(tmp_path):
    path = conducted.plan(tmp_path)
    assert read_plan(path, target="other.bin").target.path == str(Path("other.bin").absolute())
    modelled = conducted.plan(tmp_path, source="simulation", target={"scenario": "array.toml"})
    assert read_plan(modelled).target.scenario == str(tmp_path / "array.toml")
    with refused("not-applicable", Argument("target")):
        read_plan(modelled, target="other.bin")


def test_progress_says_what_is_left(tmp_path):
    from iowatt.emerald.conduct import MeasurementProgress

    fill, conditioning = conducted.load(conducted.plan(tmp_path)).stages[:2]

    def figures(*given):
        line = MeasurementProgress(*given).line
        assert line.startswith(given[0].id)
        return re.findall(r"[\d:.]*\d(?: [sW]\b)?", line)

    assert figures(fill, 1, 7, 61.0, 4000.0, 1, False, None) == ["1", "7", "1:06:40"]
    assert figures(conditioning, 2, 7, 0.25, 3.5, 0, False, 412.34) == [
        "2", "7", "0.2 s", "0.5 s", "3.5 s", "412.3 W",
    ]  # fmt: skip
    assert figures(conditioning, 2, 7, 0.25, 3.5, 0, True, None) == ["2", "7", "0.5 s"]


def test_a_target_is_claimed_by_one_at_a_time(plan, tmp_path):
    from iowatt.evaluate.replay import target as replayed
    from iowatt.sources.target import locked

    file = tmp_path / "target.bin"
    with target.claimed(plan, None) as claim:
        claim.keep()
        with refused("in-use", str(file)), target.claimed(plan, str(file)):
            pass
        with (
            refused("in-use", str(file)),
            replayed.ready(file, size=None, erase=file, writes=True),
        ):
            pass
        with (
            refused("in-use", str(file)),
            replayed.ready(file, size=None, erase=None, writes=False),
        ):
            pass
    with replayed.ready(file, size=None, erase=file, writes=True):
        with refused("in-use", str(file)), locked(file):
            pass
        with refused("in-use", str(file)), target.claimed(plan, str(file)):
            pass
    with target.claimed(plan, str(file)):
        pass
    assert file.exists(), "it was there before"


def test_files_that_were_made_go_where_nobody_keeps_them(plan, tmp_path):
    with target.claimed(plan, None):
        assert (tmp_path / "target.bin").exists()
    assert not (tmp_path / "target.bin").exists()
    (tmp_path / "there").touch()
    two = f"{tmp_path / 'new'},{tmp_path / 'there'}"
    both = plan.model_copy(update={"target": plan.target.model_copy(update={"path": two})})
    with refused("unsafe-target", str(tmp_path / "there")), target.claimed(both, None):
        pass
    assert not (tmp_path / "new").exists() and (tmp_path / "there").exists()


def test_a_target_named_by_two_names_is_refused(plan, tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "target.bin")
    two = f"{tmp_path / 'target.bin'},{tmp_path / 'link'}"
    both = plan.model_copy(update={"target": plan.target.model_copy(update={"path": two})})
    with refused("duplicate", "plan: target.path"), target.claimed(both, None):
        pass


def test_a_target_is_not_orphaned_where_the_folder_cannot_be_made(tmp_path):
    from iowatt.emerald.conduct import begin

    path = conducted.plan(tmp_path, conducted.short()[-1:])
    (tmp_path / "file").touch()
    with pytest.raises(InputError), begin.opened(path, tmp_path / "file" / "out"):
        pass
    assert not (tmp_path / "target.bin").exists()
    with begin.opened(path, tmp_path / "out") as first:
        assert first.folder.fresh
        elsewhere = begin.opened(path, tmp_path / "two", erase=str(tmp_path / "target.bin"))
        with refused("in-use", str(tmp_path / "target.bin")), elsewhere:
            pass
        assert not (tmp_path / "two").exists()
    assert (tmp_path / "target.bin").exists()


def test_a_device_that_was_mounted_since_is_refused_before_a_stage_writes(tmp_path, monkeypatch):
    from iowatt.emerald.conduct.folder import MeasurementFolder
    from iowatt.emerald.conduct.sequence import conduct
    from iowatt.emerald.driver import DriverError

    class Counting:
        kind = "fio"
        runs = 0

        def version(self):
            return "fio-0"

        def run(self, *_):
            self.runs += 1

    plan = conducted.load(conducted.plan(tmp_path, conducted.short()[:1]))
    mounted = InputError("in-use", "/dev/sdz", "sdz-mounted")

    def refuse(path):
        raise mounted

    monkeypatch.setattr("pathlib.Path.is_block_device", lambda _: True)
    monkeypatch.setattr("iowatt.sources.in_use.refuse", refuse)
    driver, folder = Counting(), MeasurementFolder(tmp_path / "out", plan)
    with refused("in-use", re.compile("^stage fill"), DriverError) as caught:
        conduct(plan, driver, folder)
    assert "sdz-mounted" in caught.value.message
    folder.close()
    assert driver.runs == 0
