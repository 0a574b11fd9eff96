"""DiskSim drives as plans: each fixture drive, each rule, and the way through a device file and back."""

from __future__ import annotations

import dataclasses

import pytest
from disksim_files import CHEETAH, DATA, FIFTEEN, RAID5, changed, import_drive, read_drive

from iowatt.model.library import device_file, find_drive
from iowatt.model.library.device import DeviceFile
from iowatt.model.library.disksim import rules
from iowatt.model.library.disksim.convert import slug
from iowatt.model.library.disksim.parameter import duration_text, milliseconds
from iowatt.model.library.disksim.plan import tables
from iowatt.model.library.drive import resolve
from refused import refused


def test_the_cheetah_9lp():
    plan = import_drive(CHEETAH).drive().hdd_plan("zero")
    assert (plan["rpm"], plan["surfaces"], plan["cylinders"], plan["sectors"]) == (
        10_045,
        12,
        6962,
        17_783_240,
    )
    zoned = plan["layout"]["zoned"]
    assert (zoned["mapping"], zoned["sparing"], len(zoned["zones"])) == ("normal", "per-zone", 11)
    assert sum(len(zone["slips"]) for zone in zoned["zones"]) == 594
    # Times go over exactly: 0.831 ms to the next cylinder, 0.461 ms more for writes.
    assert plan["seek"]["points"][0] == [1, 0.000831, 0.000831]
    assert (plan["head_switch_s"], plan["write_settle_s"]) == (0.00003, 0.000461)
    # A DIXtrac set: no completion overheads. It gives up requested data, so it reads ahead at once.
    assert (plan["controller"]["extraction"], plan["controller"]["completion_s"]) == ("commands", [0.0, 0.0])
    assert (plan["buffer"]["read_ahead"], plan["buffer"]["requested"]) == ("segment", "release")
    assert (plan["buffer"]["segments"], plan["buffer"]["fast_write"]) == (3, 2)
    assert plan["controller"]["sector_s"] == [0.000105, 0.000105]


def test_the_cheetah_15k5():
    imported = import_drive(FIFTEEN, name="mine")
    plan = imported.drive().hdd_plan("zero")
    indexed = plan["layout"]["indexed"]
    layout = read_drive(FIFTEEN).model.layout
    assert (len(indexed["tracks"]), len(indexed["nodes"])) == (len(layout.patterns), len(layout.nodes))
    assert sum(count for _, count in indexed["slips"]) == sum(count for _, count in layout.slips)
    root = indexed["nodes"][-1][-1]
    assert root["lbn"] + root["run"] >= plan["sectors"] == 286_749_487
    # A negative bulk time says nothing, and there is no other.
    assert plan["controller"]["sector_s"] == [0.0, 0.0]
    assert plan["buffer"]["read_ahead"] == "history"


def test_a_drive_of_an_array_gets_its_bus():
    alone = import_drive(DATA / "bench_disk.diskspecs").drive()
    drive = import_drive(RAID5, "disk3").drive()
    assert drive.layout == alone.layout
    assert drive.controller.sector[0] >= alone.controller.sector[0]
    with refused("unknown-name", str(RAID5)):
        import_drive(RAID5, "disk99")


@pytest.mark.parametrize("source", [CHEETAH, FIFTEEN, DATA / "bench_disk.diskspecs"], ids=lambda p: p.stem)
def test_a_written_device_file_gives_the_same_plan(tmp_path, source):
    imported = import_drive(source, name="mine")
    imported.write(tmp_path / "mine.toml")
    direct, again = imported.drive(), find_drive("mine.toml", tmp_path)
    assert again.hdd_plan("zero") == direct.hdd_plan("zero")
    file = device_file("mine.toml", tmp_path)
    assert [figure for figure in file.figures() if file.source_of(figure) is None] == []
    assert all(text in file.notes for text in imported.ignored)
    with refused("exists", str(tmp_path / "mine.toml")):
        imported.write(tmp_path / "mine.toml")


def test_a_scenario_may_name_the_file():
    drive = find_drive("raid5_32.parv", DATA, "disk0")
    assert any("Print stats" in note for note in drive.notes)
    with refused("not-applicable", None):
        find_drive("quantum-atlas-10k", None, "disk0")


def test_a_layout_file_that_is_none(tmp_path):
    import_drive(FIFTEEN, name="mine").write(tmp_path / "mine.toml")
    layout = tmp_path / "mine.layout.json.gz"
    for content in (b"{}", b"[1, 2]", b'{"schema": "iowatt.layout/1", "nodes": [[[1]]]}', b"x"):
        layout.write_bytes(content)
        with refused("wrong-format", str(layout)):
            find_drive("mine.toml", tmp_path)
    layout.unlink()
    with refused("not-found", str(layout)):
        find_drive("mine.toml", tmp_path)


def test_an_irregular_layout_keeps_its_speed():
    with pytest.raises(ValueError):
        import_drive(FIFTEEN, name="mine").drive().at_rpm(10_000)


def test_a_negative_settle_is_a_magnitude(tmp_path):
    model = changed(tmp_path, "cheetah9LP.model", "delay = 0.461000", "delay = -0.461000")
    drive = read_drive(model.with_name("cheetah9LP.diskspecs"))
    # The tightest track skew is 97 of 254 sectors of 5.973 ms: room for more than 0.461 ms.
    assert rules.write_settle_s(drive) == 0.000461
    tight = dataclasses.replace(
        drive,
        model=dataclasses.replace(
            drive.model,
            mechanics=dataclasses.replace(drive.model.mechanics, head_switch_s=0.002),
        ),
    )
    # 97 / 254 x 60 / 10045 = 2.2811 ms, less 2 ms of head switch and 10 us.
    assert rules.write_settle_s(tight) == pytest.approx(0.2711e-3, rel=1e-3)
    assert any("-0.461" in text for text in rules.remarks(drive))


def test_read_ahead_by_history():
    drive = read_drive(CHEETAH)

    def kind(**figures):
        return rules.read_ahead(
            dataclasses.replace(drive, buffer=dataclasses.replace(drive.buffer, **figures))
        )

    full = {"segment_sectors": 561, "max_read_ahead": 561}
    assert kind(read_ahead="track-ahead", read_ahead_over_requested=0, **full) == "history"
    assert kind(read_ahead="track-ahead", read_ahead_over_requested=1, **full) == "segment"
    capped = {**full, "max_read_ahead": 500}
    assert kind(read_ahead="track-ahead", read_ahead_over_requested=0, **capped) == "segment"
    assert kind(read_ahead="cylinder", read_ahead_over_requested=0, **full) == "cylinder"


def test_hand_made_sets_are_taken_as_they_are():
    drive = read_drive(CHEETAH)
    made = dataclasses.replace(
        drive,
        overheads=dataclasses.replace(drive.overheads, read_completion_s=1e-4),
        buffer=dataclasses.replace(drive.buffer, read_free_sectors=True),
    )
    assert (rules.extraction(drive), rules.extraction(made)) == ("commands", "separate")
    assert rules.keeps_passing_sectors(made)
    table = tables(made, (0.0, 0.0), "made")
    assert table["controller"]["extraction"] == "separate"
    assert table["buffer"]["read_free_sectors"] is True


def test_what_a_simulated_drive_does_not_have_is_named():
    drive = read_drive(CHEETAH)
    (only,) = rules.unused(drive)
    assert "segments" in only
    buffer = dataclasses.replace(drive.buffer, reads_directly_to_buffer=False)
    interface = dataclasses.replace(drive.interface, disconnects_write_to_seek=True)
    for part, name in (({"buffer": buffer}, " buffer = 0 "), ({"interface": interface}, "Disconnect")):
        (said,) = set(rules.unused(dataclasses.replace(drive, **part))) - {only}
        assert name in said


def test_times_are_exact():
    assert (duration_text(0.000831), duration_text(-0.00025), duration_text(0.0)) == (
        "0.831ms",
        "-0.25ms",
        "0.0ms",
    )
    assert milliseconds(0.0001701) == 0.1701


def test_names():
    assert slug("HP_C2247A_validate") == "hp-c2247a"
    assert slug("Quantum  Atlas--10K") == "quantum-atlas-10k"
    assert slug("___") == "drive"


def test_what_the_buffer_and_the_bus_do_goes_into_the_plan():
    drive = read_drive(CHEETAH)
    more = dataclasses.replace(
        drive,
        buffer=dataclasses.replace(drive.buffer, min_read_ahead=8, partial_hit_at_once=False),
        interface=dataclasses.replace(drive.interface, hold_bus_for_read=True),
    )
    table = tables(more, (0.0, 0.0), "more")
    assert (table["buffer"]["min_read_ahead"], table["buffer"]["partial_hit_at_once"]) == (8, False)
    assert table["controller"]["hold_bus"] == [True, False]
    assert tables(drive, (0.0, 0.0), "as-it-is")["buffer"]["partial_hit_at_once"] is True
    assert rules.unused(more) == rules.unused(drive)
    plan = resolve(DeviceFile.model_validate({**table, "power": {"idle": "8W"}}), "more").hdd_plan("zero")
    assert (plan["buffer"]["min_read_ahead"], plan["buffer"]["partial_hit_at_once"]) == (8, False)
    assert plan["controller"]["hold_bus"] == [True, False]


def test_write_segments_count_where_writes_are_prebuffered():
    drive = read_drive(CHEETAH)
    prebuffers = dataclasses.replace(drive, buffer=dataclasses.replace(drive.buffer, write_prebuffering=True))
    table = tables(prebuffers, (0.0, 0.0), "prebuffers")
    assert (table["buffer"]["write_prebuffering"], table["buffer"]["write_segments"]) == (True, 3)
    assert rules.unused(prebuffers) == []
    assert "write_prebuffering" not in tables(drive, (0.0, 0.0), "waits")["buffer"]
