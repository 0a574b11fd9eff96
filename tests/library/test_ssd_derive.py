"""From data sheets to flash: one rule for all drives, and what is refused."""

from __future__ import annotations

import math

import pytest
from pydantic import ValidationError

from iowatt.model.library import device_file, device_names
from iowatt.model.library.derive import Steps
from iowatt.model.library.describe import good_for
from iowatt.model.library.device import DeviceFile
from iowatt.model.library.electrical.figures import HddPower
from iowatt.model.library.find import find_device
from iowatt.model.library.ssd import derive, joules
from iowatt.model.library.ssd.drive import FREE_BLOCKS
from iowatt.model.library.ssd.media import MEDIA, cell_of
from refused import refused

FILES = {name: device_file(name) for name in device_names()}
SSDS = [name for name, file in FILES.items() if file.kind == "ssd" and "mechanics" in good_for(file)]
FLASH = [name for name in SSDS if derive.why_not_flash(FILES[name]) is None]
OWN = {
    "name": "own",
    "kind": "ssd",
    "title": "Own",
    "capacity": "1TB",
    "interface": "PCIe 4.0 x4 NVMe",
    "media": "TLC 3D",
    "performance": {
        "sequential_read": "3000MB/s",
        "sequential_write": "2000MB/s",
        "random_read_iops": 500_000,
        "random_write_iops": 120_000,
    },
    "power": {"idle": "2W", "active": "9W"},
}


def own(**tables):
    return derive.resolve(DeviceFile.model_validate({**OWN, **tables}), "own.toml")


def test_presets_of_every_interface_and_cell_type():
    simulated = {name for name in FLASH if "simulation" in good_for(FILES[name])}
    found = {(derive.link(FILES[name]), cell_of(FILES[name].media)) for name in simulated}
    assert {("sata", "mlc"), ("sata", "tlc"), ("sata", "qlc")} <= found
    assert {("sas", "mlc"), ("sas", "tlc"), ("nvme", "mlc"), ("nvme", "tlc"), ("nvme", "qlc")} <= found
    assert len(simulated) >= 17


@pytest.mark.parametrize("name", FLASH)
def test_the_flash_does_what_the_sheet_says(name):
    drive, rated = find_device(name), FILES[name].performance
    geometry, times = drive.geometry, drive.times
    moved_s = geometry.stripe_bytes / times.channel_bytes_per_s
    stripe_s = times.program_s + moved_s + times.erase_s / geometry.pages_per_block
    written = geometry.dies * geometry.stripe_bytes / stripe_s
    assert written == pytest.approx(rated.sequential_write, rel=1e-9)
    # Dies have time to spare for the reads, and channels for their bytes.
    assert geometry.dies / times.read_s > 1.1 * rated.random_read_iops
    assert geometry.channels * times.channel_bytes_per_s > 1.2 * rated.sequential_read
    assert times.program_s >= 0.999 * MEDIA[cell_of(FILES[name].media)].program_s
    assert 0.01 <= geometry.spare < 1
    assert drive.flash_bytes > drive.raw_bytes * (1 + geometry.spare)
    assert drive.flash_bytes < drive.raw_bytes * (1 + geometry.spare) + 7 * geometry.superblock_bytes
    assert drive.problem() is None


def _reading_w(drive, spent, size, unit_bytes):
    """Watts of reads of one size at the highest rate, units of so many bytes each on a page of its own."""
    geometry, sheet = drive.geometry, drive.sheet
    rate = min(sheet.read_iops, sheet.read_rate / size)
    pages = math.ceil(size / unit_bytes) * max(1, geometry.mapping_bytes // geometry.page_bytes)
    each = pages * spent.read_j + size * spent.transfer_j_per_byte + spent.command_j
    return drive.awake_w + rate * each


@pytest.mark.parametrize("name", [name for name in FLASH if not find_device(name).missing_watts])
def test_joules_of_operations_come_to_the_watts_of_the_sheet(name):
    drive = find_device(name)
    geometry, times, sheet, awake_w = drive.geometry, drive.times, drive.sheet, drive.awake_w
    spent = joules.operations(drive.work, awake_w, sheet, geometry, times)
    unit = geometry.mapping_bytes
    sizes = [4096 * n for n in (1, 2, 3, 4, 8, 16, 32)]
    scattered = max(_reading_w(drive, spent, size, unit) for size in sizes)
    in_order = _reading_w(drive, spent, joules.SEQUENTIAL, max(unit, geometry.page_bytes))
    if FILES[name].power.sequential_read is not None:
        assert in_order == pytest.approx(FILES[name].power.sequential_read, rel=1e-9)
        assert scattered <= drive.work.most * (1 + 1e-9)
    else:
        # One figure for all work: it is the most that any reading draws.
        assert scattered == pytest.approx(drive.work.most, rel=0.06)
        assert scattered <= drive.work.most * (1 + 1e-9)
        assert awake_w < in_order <= scattered * (1 + 1e-9)
    pages = sheet.write_rate / geometry.page_bytes
    writing = pages * (spent.program_j + spent.erase_j / geometry.pages_per_block)
    writing += sheet.write_rate * spent.transfer_j_per_byte
    assert awake_w + writing == pytest.approx(drive.work.sequential_write, rel=1e-9)
    assert min(vars(spent).values()) >= 0


def test_published_watts_of_random_and_sequential_reads_both_come_out():
    for random in (5.0, 6.0, 8.5):
        drive = own(
            power={"idle": "2W", "active": "9W", "sequential_read": "6W", "random_read": f"{random}W"}
        )
        spent = joules.operations(drive.work, 2.0, drive.sheet, drive.geometry, drive.times)
        in_order = _reading_w(drive, spent, joules.SEQUENTIAL, drive.geometry.page_bytes)
        assert in_order == pytest.approx(6, rel=1e-9)
        assert _reading_w(drive, spent, 4096, 4096) == pytest.approx(random, rel=1e-9)


@pytest.mark.parametrize(
    ("power", "awake_w"),
    [
        # Published, or an idle that is no sleep.
        ({"idle": "2W", "active": "9W"}, 2.0),
        ({"idle": "0.04W", "active": "9W", "active_idle": "1.5W"}, 1.5),
        # Less than a tenth of the most drawn, or no more than a state that serves nothing.
        ({"idle": "0.5W", "active": "9W"}, 0.4 * 9),
        (
            {"idle": "1W", "active": "9W", "state": [{"name": "ps3", "power": "1W", "operational": False}]},
            3.6,
        ),
    ],
)
def test_what_a_drive_draws_awake(power, awake_w):
    drive = own(power=power)
    assert drive.awake_w == pytest.approx(awake_w)
    assert drive.sleeps == (drive.awake_w > drive.power.idle)
    plan = drive.plan()["power"]
    assert (plan["active_w"], plan["levels"]["idle_w"]) == (drive.awake_w, drive.power.idle)
    assert plan["awake_s"] == (0.1 if drive.sleeps else 0)
    assumed = any("power.active_idle" in note and "assumed" in note for note in drive.notes)
    assert assumed == (drive.sleeps and "active_idle" not in power)
    # Under a power policy it is awake until the policy lets it sleep.
    kept = drive.kept_awake()
    assert kept.plan()["power"]["levels"]["idle_w"] == drive.awake_w
    assert kept.plan()["power"]["awake_s"] == 0


def test_watts_of_a_scenario_decide_what_it_draws_awake():
    drive = own(power={"idle": "0.04W", "active": "9W"})
    assert drive.with_power(HddPower.model_validate({"idle": "1.1W"})).awake_w == 1.1
    assert drive.with_power(HddPower.model_validate({"active": "5W"})).awake_w == pytest.approx(2)


def test_more_random_writes_need_more_spare_flash():
    rates = OWN["performance"]
    spares = [
        own(performance={**rates, "random_write_iops": iops}).geometry.spare
        for iops in (60_000, 120_000, 240_000)
    ]
    assert spares == sorted(spares)
    assert spares[0] < spares[-1] / 2


def test_figures_of_a_file_are_taken():
    flash = {
        "cell": "qlc", "channels": 8, "dies_per_channel": 16, "planes": 4, "page": "8KiB",
        "pages_per_block": 512, "read_time": "50us", "program_time": "1ms", "erase_time": "4ms",
        "channel_rate": "1200MB/s", "mapping_unit": "8KiB", "write_buffer": "32MiB",
        "over_provisioning": 0.28,
        "pe_cycles": 1500,
        "suspend": {"program": False, "latency": "5us"},
    }  # fmt: skip
    drive = own(flash=flash, endurance={"tbw": "500TB"})
    assert vars(drive.geometry) == {
        "channels": 8, "dies_per_channel": 16, "planes": 4, "page_bytes": 8192, "pages_per_block": 512,
        "mapping_bytes": 8192, "spare": 0.28,
    }  # fmt: skip
    assert vars(drive.times) == {
        "read_s": 50e-6,
        "program_s": 1e-3,
        "erase_s": 4e-3,
        "channel_bytes_per_s": 1.2e9,
    }
    assert (drive.buffer_bytes, drive.wear.pe_cycles, drive.wear.rated_bytes) == (32 << 20, 1500, 5e14)
    plan = drive.plan()["media"]
    assert plan["suspend"] == {"program": False, "erase": True, "latency_s": 5e-6}
    assert not any("flash." in note for note in drive.notes if "assumed" in note)


def test_latencies_leave_the_controller_its_share():
    rates = OWN["performance"]
    told = own(performance={**rates, "read_latency": "90us", "write_latency": "20us"})
    sensed = told.times.read_s + 4096 / told.times.channel_bytes_per_s
    moved = 4096 / 3e9
    assert told.interface.command_read_s == pytest.approx(90e-6 - sensed - moved)
    assert told.interface.command_write_s == pytest.approx(20e-6 - moved)
    # A sequential read is one that the drive has read ahead: no sensing in it.
    told = own(performance={**rates, "sequential_read_latency": "12us"})
    assert told.interface.command_read_s == pytest.approx(12e-6 - moved)
    # A published latency wins over what cells of the type are taken to need.
    quick = own(performance={**rates, "read_latency": "50us"})
    assert quick.interface.command_read_s == pytest.approx(0, abs=1e-12)
    assert quick.times.read_s == pytest.approx(50e-6 - 4096 / quick.times.channel_bytes_per_s - moved)


def test_endurance():
    drive = own(endurance={"dwpd": 3, "warranty": 5})
    assert drive.wear.rated_bytes == 3 * 1e12 * 365 * 5
    assert own().wear.rated_bytes is None
    steps = Steps()
    derive.make(DeviceFile.model_validate({**OWN, "endurance": {"dwpd": 3}}), steps)
    assert "endurance.warranty" in [step.figure for step in steps.taken if step.quality == "assumed"]


@pytest.mark.parametrize(
    ("tables", "reason"),
    [
        ({"media": "3D XPoint"}, "(3D XPoint)"),
        ({"media": "TLC/MLC 16nm"}, "(TLC/MLC 16nm)"),
        ({"performance": {**OWN["performance"], "random_write_iops": 450_000}}, "450000 "),
    ],
)
def test_the_data_sheet_alone(tables, reason):
    drive = own(**tables)
    assert drive.geometry is None
    assert reason in drive.why_sheet
    assert any(drive.why_sheet in note for note in drive.notes)
    media = drive.plan()["media"]
    assert media["kind"] == "data-sheet"
    assert (media["read"]["iops"], media["write"]["bytes_per_s"]) == (500_000, 2e9)
    assert (media["read"]["active_w"], media["write"]["active_w"]) == (9, 9)


def test_a_cell_type_of_the_file_makes_flash_of_it():
    assert own(media="TLC/MLC 16nm", flash={"cell": "mlc"}).geometry is not None


def test_a_map_too_large_is_refused():
    with refused("out-of-range", "own.toml") as error:
        own(capacity="30TB", flash={"mapping_unit": "4KiB"})
    assert "4096" in error.value.message and "4,294,967,280" in error.value.message
    drive = own(capacity="30TB", performance={**OWN["performance"], "random_write_iops": 30_000})
    assert drive.geometry.mapping_bytes == 16384
    assert any("flash.mapping_unit" in note for note in drive.notes)


def test_units_that_fit_no_page_are_refused():
    with refused("out-of-range", "own.toml") as error:
        own(flash={"mapping_unit": "12KiB", "over_provisioning": 0.2})
    assert "page" in error.value.message


def test_what_is_missing_is_named():
    with refused("missing-figure", "own.toml") as error:
        own(performance={k: v for k, v in OWN["performance"].items() if k != "random_write_iops"})
    assert error.value.message.endswith(": performance.random_write_iops")


def test_a_smaller_capacity_is_over_provisioning():
    drive = own()
    half = drive.short_stroked(500 * 10**9)
    assert 1 + half.geometry.spare == pytest.approx(2 * (1 + drive.geometry.spare))
    with pytest.raises(ValueError):
        drive.short_stroked(2 * 10**12)


def test_kinds_do_not_mix():
    with pytest.raises(ValidationError) as error:
        DeviceFile.model_validate(
            {"name": "a", "kind": "hdd", "title": "A", "flash": {}, "performance": {"read_latency": "9ms"}}
        )
    assert [one["ctx"]["error"].code for one in error.value.errors()] == ["not-applicable"]
    message = error.value.errors()[0]["msg"]
    assert [key for key in ("flash", "performance.read_latency") if key not in message] == []
    state = {"name": "ps1", "power": "1W"}
    with pytest.raises(ValidationError) as error:
        DeviceFile.model_validate({**OWN, "power": {"state": [state, state]}})
    assert [one["loc"] for one in error.value.errors()] == [("power", "state")]
    assert "'ps1'" in error.value.errors()[0]["msg"]


def test_states_of_nvme():
    states = [
        {"name": "ps0", "power": "9W"},
        {"name": "ps1", "power": "5W"},
        {"name": "ps3", "power": "50mW", "operational": False, "enter_latency": "2ms", "exit_latency": "1ms"},
    ]
    drive = own(power={**OWN["power"], "state": states})
    assert drive.ladder.names == ("ps3",)
    (level,) = drive.ladder.plan["below"]
    # The most that it draws, for the longest that it takes.
    assert level["enter"] == {"seconds": 2e-3, "joules": pytest.approx(18e-3)}
    assert level["leave"] == {"seconds": 1e-3, "joules": pytest.approx(9e-3)}
    assert (level["watts"], level["serves_at"], level["stopped"]) == (0.05, None, False)


def test_superblocks_kept_free_are_not_counted_as_spare():
    drive = own(flash={"over_provisioning": 0.1})
    geometry = drive.geometry
    holding = geometry.superblock_bytes * (drive.plan()["media"]["blocks_per_plane"] - FREE_BLOCKS - 1)
    assert 0 <= holding - 1.1e12 < geometry.superblock_bytes
