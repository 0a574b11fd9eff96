"""From data sheets to flash: one rule for all drives, and what is refused."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from pydantic import ValidationError

from iowatt.model.library import device_file, device_names
from iowatt.model.library.derive import Steps
from iowatt.model.library.describe import good_for
from iowatt.model.library.device import DeviceFile
from iowatt.model.library.electrical.figures import HddPower
from iowatt.model.library.find import find_device
from iowatt.model.library.ssd import ceiling, derive, inside, joules, media
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
    # Dies just have the time for the reads, channels have some to spare for their bytes.
    assert geometry.dies / times.read_hold_s > rated.random_read_iops
    assert times.read_hold_s >= times.read_s * (1 - 1e-9)
    assert geometry.channels * times.channel_bytes_per_s > 1.2 * rated.sequential_read
    assert times.program_s >= 0.999 * MEDIA[cell_of(FILES[name].media)].program_s
    assert 0.01 <= geometry.spare < 1
    assert drive.flash_bytes > drive.raw_bytes * (1 + geometry.spare)
    room = 7 if drive.bursts is None else 7 + drive.bursts.superblocks
    assert drive.flash_bytes < drive.raw_bytes * (1 + geometry.spare) + room * geometry.superblock_bytes
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
        # Some sheets have more watts for idling than for reading.
        assert in_order == pytest.approx(max(awake_w, FILES[name].power.sequential_read), rel=1e-9)
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
        "read_hold": "70us", "retries": 0.01, "map_entry": 4, "bursts": {"superblocks": 3, "share": 0.5},
        "suspend": {"program": False, "latency": "5us", "most": 3},
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
        "read_by_page_s": pytest.approx(
            (50e-6 * 2 / 4.75, 50e-6 * 3 / 4.75, 50e-6 * 5 / 4.75, 50e-6 * 9 / 4.75)
        ),
        "read_hold_s": 70e-6,
        "retries": 0.01,
    }
    assert (drive.buffer_bytes, drive.wear.pe_cycles, drive.wear.rated_bytes) == (32 << 20, 1500, 5e14)
    plan = drive.plan()["media"]
    assert (plan["gc"]["burst"], plan["map_entry_bytes"]) == ({"blocks": 3, "share": 0.5}, 4)
    assert plan["suspend"] == {"program": False, "erase": True, "latency_s": 5e-6, "most": 3}
    assert not any("flash." in note for note in drive.notes if "assumed" in note)


def test_latencies_leave_the_controller_its_share():
    rates = OWN["performance"]
    told = own(performance={**rates, "read_latency": "90us", "write_latency": "20us"})
    sensed = told.times.read_s + 4096 / told.times.channel_bytes_per_s
    # Of the link, PCIe 4.0 x4, and not at the sequential rate: that is the controller's.
    moved = 4096 / (0.91 * 4 * 1969e6)
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


def test_a_map_too_large_leaves_the_data_sheet():
    sheet = own(capacity="30TB", flash={"mapping_unit": "4KiB"})
    assert sheet.geometry is None
    assert "4 KiB" in sheet.why_sheet
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


@pytest.mark.parametrize("cell", MEDIA)
def test_page_types_have_the_mean_and_a_base_as_long_as_a_reference(cell):
    times = media.read_by_page(cell, 60e-6)
    assert len(times) == list(MEDIA).index(cell) + 1
    assert sum(times) / len(times) == pytest.approx(60e-6)
    references = media.REFERENCES[cell]
    assert [s / times[0] for s in times] == pytest.approx([(1 + n) / 2 for n in references])


def test_page_types_of_qlc_are_near_those_measured():
    measured = (47.9e-6, 76.2e-6, 134.6e-6, 228.1e-6)
    for rule, s in zip(media.read_by_page("qlc", MEDIA["qlc"].read_s), measured, strict=True):
        assert rule == pytest.approx(s, rel=0.08)


def test_times_by_page_of_a_file_decide():
    drive = own(flash={"read_times": ["44us", "60us", "92us"]})
    assert drive.times.read_by_page_s == (44e-6, 60e-6, 92e-6)
    assert drive.times.read_s == pytest.approx(196e-6 / 3)
    assert drive.plan()["media"]["read_by_page_s"] == [44e-6, 60e-6, 92e-6]


def test_times_by_page_are_as_many_as_a_cell_has_bits():
    with refused("conflict", "own.toml") as error:
        own(flash={"read_times": ["44us", "60us"]})
    assert "flash.read_times" in error.value.message


@pytest.mark.parametrize(("customers", "dies"), [(2, 1), (32, 12), (256, 40), (256, 400)])
def test_dies_hold_the_reads_that_are_under_way(customers, dies):
    """Exponential times have the closed form of a balanced closed network; equal ones queue half as long."""
    mean, deviation = 1.0, 1.0
    exponential = inside.busy_share(customers, dies, (mean - deviation, mean + deviation))
    assert exponential == pytest.approx((customers - 1) / (customers - 1 + dies))
    busy = inside.busy_share(customers, dies, (70e-6,))
    assert exponential < busy < 1
    assert dies * (busy + busy**2 / 2 / (1 - busy)) == pytest.approx(customers - 1)


def test_commands_hold_the_controller_by_their_size():
    small, large = 1 / 465_000, 131_072 / 2850e6
    assert ceiling.holds(465_000, 2850e6) == ((4096, small), (131_072, large))
    # A published figure of 8 KiB comes between; what is faster than 4 KiB is not believed.
    assert ceiling.holds(465_000, 2850e6, 280_000)[1] == (8192, 1 / 280_000)
    assert ceiling.holds(465_000, 2850e6, 500_000)[1] == (8192, small)
    # Small ones that take as long as 128 KiB at the sequential rate: sizes beyond keep that rate.
    (_, first), (size, last) = ceiling.holds(1_000, 1e9)
    assert (first, last, size) == (1e-3, 1e-3, 1_000_000)


@pytest.mark.parametrize(
    ("words", "rate"),
    [
        ("PCIe 3.0 x4 NVMe", 0.91 * 4 * 985e6),
        ("NVMe, PCIe Gen4 x8", 0.91 * 8 * 1969e6),
        ("SATA 6G", 0.94 * 600e6),
        ("SATA 6G/SAS 12G", 0.94 * 1200e6),
        ("U.2", None),
        (None, None),
    ],
)
def test_links_carry_what_their_words_say(words, rate):
    assert ceiling.link_rate(words) == (None if rate is None else pytest.approx(rate))


@pytest.mark.parametrize(
    ("interface", "year", "suspends"),
    [
        ("SATA 6G", 2014, False),
        ("SATA 6G", 2018, True),
        ("SATA 6G", None, True),
        ("PCIe 3.0 x4 NVMe", 2014, True),
    ],
)
def test_old_drives_do_not_interrupt_programs(interface, year, suspends):
    rates = {**OWN["performance"], "sequential_read": "500MB/s", "sequential_write": "400MB/s"}
    rates |= {"random_read_iops": 80_000, "random_write_iops": 20_000}
    drive = own(interface=interface, performance=rates, **({} if year is None else {"year": year}))
    assert (drive.suspend is not None) == suspends
    assert any("flash.suspend" in note for note in drive.notes)


def test_quantiles_of_an_unloaded_latency():
    rates = OWN["performance"]
    given = own(media="3D XPoint", performance={**rates, "read_quantiles": {"p50": "10us", "p999": "30us"}})
    assert given.sheet.read_quantiles == ((0.5, 10e-6), (0.999, 30e-6))
    # Linear in -ln(1 - share): 10 us, and (30 - 10) / ln(500) for each unit that an exponential draw has
    # beyond ln 2, up to 30 us.
    slope = 20e-6 / math.log(500)
    assert given.sheet.read_s == pytest.approx(10e-6 + slope * (0.5 - 0.001))
    # Without any, those of its kind of memory about the latency: the mean is what is published.
    nand = own(media="TLC/MLC", performance={**rates, "read_latency": "80us"})
    assert derive.mean_of(nand.sheet.read_quantiles) == pytest.approx(80e-6)
    assert any("performance.read_quantiles" in note for note in nand.notes)


def test_quantiles_must_rise():
    with pytest.raises(ValidationError):
        DeviceFile.model_validate(
            {**OWN, "performance": {**OWN["performance"], "read_quantiles": {"p50": "10us", "p99": "9us"}}}
        )


CACHE = {"size": "50GB", "sustained": "800MB/s", "idle": "200ms"}


def test_a_cache_of_one_bit_cells_has_the_published_writes_and_flash_the_sustained_ones():
    drive = own(flash={"slc_cache": CACHE})
    times, geometry = drive.times, drive.geometry
    media_plan = drive.plan()["media"]
    assert media_plan["slc_cache"] == {"bytes": 50 * 10**9, "program_s": 200e-6, "idle_s": 0.2}
    moved_s = geometry.stripe_bytes / times.channel_bytes_per_s
    once_s = times.program_s + moved_s + times.erase_s / geometry.pages_per_block
    folded_s = 200e-6 + moved_s + times.read_s
    assert geometry.dies * geometry.stripe_bytes / (once_s + folded_s) == pytest.approx(800e6)
    assert drive.interface.write_holds[-1] == (131_072, pytest.approx(131_072 / 3000e6))


def test_a_dynamic_cache_shrinks_with_what_the_drive_holds():
    drive = own(flash={"slc_cache": {**CACHE, "dynamic": True}})
    half = replace(drive, behaviour=replace(drive.behaviour, fill=0.5))
    assert half.plan()["media"]["slc_cache"]["bytes"] == 25 * 10**9
    assert drive.plan()["media"]["slc_cache"]["bytes"] == 0
    fresh = replace(drive, behaviour=replace(drive.behaviour, steady=False))
    assert fresh.plan()["media"]["slc_cache"]["bytes"] == 50 * 10**9


def test_a_cache_of_a_drive_by_its_data_sheet():
    sheet = own(media="TLC/MLC", flash={"slc_cache": CACHE}).plan()["media"]
    assert sheet["write_cache"] == {"bytes": 50 * 10**9, "folding_bytes_per_s": 800e6, "idle_s": 0.2}
    assert sheet["write"]["bytes_per_s"] == 2000e6


@pytest.mark.parametrize(("interface", "year", "bursts"), [("SATA 6G", 2014, True), ("SATA 6G", 2017, False)])
def test_old_drives_collect_in_bursts(interface, year, bursts):
    rates = {**OWN["performance"], "sequential_read": "500MB/s", "sequential_write": "400MB/s"}
    rates |= {"random_read_iops": 80_000, "random_write_iops": 20_000}
    drive = own(interface=interface, year=year, performance=rates)
    expected = {"blocks": 2, "share": 0.3} if bursts else None
    assert drive.plan()["media"]["gc"]["burst"] == expected
    assert any("flash.bursts" in note for note in drive.notes) == bursts
