"""The week of the two HP 335H disks: the drive against its source, the results, the trace's own evidence."""

from __future__ import annotations

import bisect
import gzip
import re

import numpy as np
import pytest

import iowatt
from iowatt.evaluate import validation
from iowatt.evaluate.validation import replay
from iowatt.evaluate.validation.cases import FOLDER, read_services
from iowatt.evaluate.validation.replay import compare
from iowatt.model.library import find_drive

TRACE = FOLDER / "ajw.1week.srt.gz"
SECTORS_PER_TRACK, HEADS, TURN_S = 113, 8, 60 / 4002

# As documented in docs/validation.md, by disk: error of response times and of services in percent, then
# demerit and paired RMSE in milliseconds.
DOCUMENTED = {
    "hp-335h-disk-0": {
        "all": (-30.72, 132.34, 203.28),
        "reads": (-30.69, 16.40, 32.55),
        "writes": (-30.72, 152.27, 235.15),
        "service": (-20.96, 5.44, 8.85),
        "service of reads": (-27.53, 8.05, 10.74),
        "service of writes": (-18.22, 4.53, 8.10),
    },
    "hp-335h-disk-1": {
        "all": (-32.69, 9.27, 13.11),
        "reads": (-31.43, 8.28, 11.89),
        "writes": (-43.94, 21.73, 27.34),
        "service": (-32.22, 7.99, 11.15),
        "service of reads": (-31.57, 7.48, 10.26),
        "service of writes": (-39.96, 15.00, 21.98),
    },
}


@pytest.fixture(scope="module")
def found():
    return {v.key: v for v in map(validation.validate, validation.cases("hp-335h"))}


@pytest.fixture(scope="module")
def disk():
    """Requests of disk 0 in order of arrival: sectors, and arrival, start and stop in microseconds."""
    raw = gzip.decompress(TRACE.read_bytes())
    words = np.frombuffer(raw[raw.index(b"\x0c") + 1 :], ">i4").reshape(-1, 14).astype(np.int64)
    words = words[(words[:, 8] >> 8) & 255 == 0]
    arrival = words[:, 2] * 10**6 + words[:, 3]
    return {
        "arrival": arrival,
        "start": arrival + words[:, 4],
        "stop": arrival + words[:, 5],
        "first": words[:, 7],
        "sectors": words[:, 6] // 256,
        "read": words[:, 11] & 1 == 1,
    }


def test_the_drive_is_the_header():
    header = gzip.decompress(TRACE.read_bytes()).split(b"\x0c")[0].decode("latin-1")
    assert header.count("disktype    = hp335h") == 2

    def figures(name):
        values = set(re.findall(rf"\b{name}\s*=\s*(.+?),\s*$", header, re.MULTILINE))
        assert len(values) == 1, "both disks are alike"
        return [float(number) for number in re.findall(r"[\d.]+", values.pop())]

    drive = find_drive("hp-335h")
    (zone,) = drive.layout.plan()["zoned"]["zones"]
    assert [zone["sectors_per_track"]] == figures("nspt") == [SECTORS_PER_TRACK]
    assert [drive.surfaces] == figures("ntpc") and [drive.cylinders] == figures("ncyl")
    assert [drive.rpm] == figures("rpm") and [drive.sector_bytes] == figures("sectorsize")
    assert [zone["track_skew_sectors"]] == [zone["cylinder_skew_sectors"]] == figures("sectorskew")
    assert [drive.head_switch_s * 1e6] == figures("headswitch")
    distance, *times = figures("seekparms")
    assert drive.seek_plan["hpl"]["values"] == [distance, *(time / 1e3 for time in times)]
    overhead = pytest.approx(figures("overhead") * 2)
    assert [s * 1e6 for s in drive.controller.read_miss] == overhead
    assert [s * 1e6 for s in drive.controller.write_miss] == overhead
    (_, rate, _) = (
        float(x) for x in re.search(r"adaptor = (1) -> { hp_ib , ([\d.]+) , (\d+) }", header).groups()
    )
    assert drive.controller.sector == pytest.approx((256 / rate / 1e6,) * 2)
    sections = re.findall(r"size\s*=\s*\(\d+ (291362816|43970560)\)", header)
    assert drive.raw_bytes == sum(map(int, sections)) == 113 * 8 * 1449 * 256


@pytest.mark.parametrize("key", DOCUMENTED)
def test_the_documented_figures(found, key):
    from iowatt.pages.validation import kinds

    got = dict(kinds(found[key]))
    assert set(got) == set(DOCUMENTED[key])
    for kind, (error, demerit, rmse) in DOCUMENTED[key].items():
        assert 100 * got[kind].mean_error == pytest.approx(error, abs=0.006), kind
        assert got[kind].demerit_ms == pytest.approx(demerit, abs=0.006), kind
        assert got[kind].paired_rmse_ms == pytest.approx(rmse, abs=0.006), kind


def test_requests_add_up(found):
    assert [v.every.requests for v in found.values()] == [42_252, 2_267]
    assert all(v.service.every.requests == v.every.requests for v in found.values())
    assert found["hp-335h-disk-0"].every.measured_mean_ms == pytest.approx(121.822, abs=1e-3)


def test_an_ordinary_run_answers_the_same(found, tmp_path):
    """Both disks as pools of a scenario, without the bus that they share, and with it."""
    scenario = """
name = "week"
[[array.volume]]
name = "zero"
pool = "zero"
[[array.volume]]
name = "one"
pool = "one"
"""
    for disk, name in (("0", "zero"), ("1", "one")):
        scenario += f"""
[[workload]]
name = "{name}"
volume = "{name}"
trace = {{ path = "{TRACE}", format = "hp-srt", device = "{disk}" }}
[[array.pool]]
name = "{name}"
device = {{ name = "hp-335h", power = {{ idle = "10W", active = "12W", positioning = "12W" }} }}
count = 1
scheduler = "c-look"
phase = "zero"
"""
    bus = '[[array.bus]]\nname = "hp-ib"\ndrives = ["zero", "one"]\nbandwidth = "1.2MB/s"\n'
    means = []
    for name, text in (("apart", scenario), ("shared", scenario + bus)):
        path = tmp_path / f"{name}.toml"
        path.write_text(text)
        run = iowatt.run(path)
        means.append([w["response_time_ms"]["all"]["mean"] for w in run.summary["workloads"]])
    alone = [v.every.simulated_mean_ms for v in found.values()]
    assert means[0] == pytest.approx(alone, rel=1e-6)
    # The bus that the validation leaves out costs less than the model misses.
    assert means[1][0] == pytest.approx(means[0][0], rel=0.005)


def chosen_by(disk, key, after_last):
    """Of the decisions with several waiting, the share that a discipline would have made alike."""
    arrival, start = disk["arrival"], disk["start"]
    waiting, arrived, last, alike, decisions = [], 0, 0, 0, 0
    for index in np.argsort(start):
        while arrived < len(arrival) and arrival[arrived] <= start[index]:
            waiting.append(arrived)
            arrived += 1
        if len(waiting) > 1:
            decisions += 1
            ahead = [i for i in waiting if key[i] >= last] if after_last else []
            alike += min(ahead or waiting, key=lambda i: (key[i], i)) == index
        waiting.remove(index)
        last = key[index]
    return decisions, alike / decisions


def test_the_queue_was_a_one_way_elevator_by_cylinder(disk):
    first = disk["first"].tolist()
    cylinder = [sector // (SECTORS_PER_TRACK * HEADS) for sector in first]
    assert int(np.sum(np.diff(disk["start"]) < 0)) == 5211  # of 42,251 steps
    decisions, share = chosen_by(disk, list(range(len(first))), False)
    assert (decisions, round(share, 3)) == (12_609, 0.279)  # first come, first served
    assert round(chosen_by(disk, first, True)[1], 3) == 0.800  # C-LOOK by sector, as simulated
    assert round(chosen_by(disk, cylinder, True)[1], 3) == 0.951  # C-LOOK by cylinder


def test_with_the_measured_services_the_queue_is_right(disk):
    """C-LOOK with every service as long as it was: what remains of the error is the queue's."""
    arrival, took = disk["arrival"].tolist(), (disk["stop"] - disk["start"]).tolist()
    first = disk["first"].tolist()
    waiting, arrived, now, last = [], 0, 0, -1
    response = np.zeros(len(arrival))
    while waiting or arrived < len(arrival):
        if not waiting:
            now = max(now, arrival[arrived])
            waiting.append((first[arrived], arrived))
            arrived += 1
        place = bisect.bisect_left(waiting, (last, -1)) % len(waiting)
        last, index = waiting.pop(place)
        now += took[index]
        response[index] = now - arrival[index]
        while arrived < len(arrival) and arrival[arrived] <= now:
            bisect.insort(waiting, (first[arrived], arrived))
            arrived += 1
    assert response.mean() / 1e3 == pytest.approx(119.89, abs=0.01)
    assert response[disk["read"]].mean() / 1e3 == pytest.approx(58.87, abs=0.01)
    assert response[~disk["read"]].mean() / 1e3 == pytest.approx(141.07, abs=0.01)


def test_the_platter_contradicts_the_header(disk):
    """Between completions of writes the platter turns by their distance on it: so skews can be read off."""
    order = np.argsort(disk["start"])
    last = (disk["first"] + disk["sectors"] - 1)[order]
    stop, write = disk["stop"][order], ~disk["read"][order]
    track, place = last // SECTORS_PER_TRACK, last % SECTORS_PER_TRACK
    both = write[1:] & write[:-1] & (np.diff(stop) < 100_000)
    cylinders = track // HEADS

    def agreement(pairs, track_skew, cylinder_skew):
        angle = (place + track_skew * (track - cylinders) + cylinder_skew * cylinders) / SECTORS_PER_TRACK
        turns = np.diff(stop) / 1e6 / TURN_S - np.diff(angle)
        mean = np.exp(2j * np.pi * turns[pairs]).mean()
        return abs(mean), abs(np.angle(mean)) / (2 * np.pi)

    same = both & (np.diff(track) == 0)
    assert agreement(same, 0, 0)[0] == pytest.approx(0.965, abs=0.002)  # the phase is not lost
    near = both & (np.diff(cylinders) == 0) & (np.diff(track) != 0)
    lengths = [agreement(near, skew, 0)[0] for skew in range(SECTORS_PER_TRACK)]
    assert int(np.argmax(lengths)) == 34
    assert (lengths[34], lengths[12]) == pytest.approx((0.964, 0.517), abs=0.002)
    # One cylinder up or down: two skews fit equally well, and one of them is half a turn off.
    next_ = both & (np.abs(np.diff(cylinders)) == 1)
    assert agreement(next_, 34, 44) == pytest.approx((0.91, 0.0), abs=0.01)


# What is changed (reads' transfer, writes' preparation, skews), and as documented the errors of all services,
# of reads and of writes in percent, then the paired RMSE in milliseconds.
SKEWS = {"track": 34, "cylinder": 44}
WHAT_IF = {
    "skews as the platter has them": ("", SKEWS, (-20.87, -25.99, -18.73, 8.77)),
    "reads sent after the media": ("read", {}, (-18.26, -18.47, -18.18, 8.29)),
    "writes prepared 4 ms longer": ("write", {}, (-10.75, -27.53, -3.77, 7.68)),
    "all three": ("read write", SKEWS, (-5.51, -18.28, -0.20, 5.96)),
}


def test_what_the_missing_mechanisms_would_change(tmp_path):
    """Not in the device: nothing but the header is. By how much they matter is documented."""
    services = read_services(TRACE, "hp-srt", "0")
    real = services.response_ns / 1e6
    for number, (parts, skew, documented) in enumerate(WHAT_IF.values()):
        lines = ['name = "what-if"', 'kind = "hdd"', 'title = "what if"', 'based_on = "hp-335h"']
        tables = []
        if skew:
            tables.append(
                "[geometry]\nsurfaces = 8\nzones = [{ cylinders = 1449, sectors_per_track = 113, "
                f"track_skew = {skew['track']}, cylinder_skew = {skew['cylinder']} }}]"
            )
        controller = ['read_miss = ["1.1ms", "1.1ms"]', 'sector = ["0.213333333ms", "0.213333333ms"]']
        controller.append(f"write_miss = {['5.1ms', '5.1ms'] if 'write' in parts else ['1.1ms', '1.1ms']}")
        if "read" in parts:
            controller += ["read_watermark = 1.0", "watermark_by_request = true"]
            tables.append("[buffer]\nsegments = 1\nsegment_sectors = 4096")
        tables.append("\n".join(["[controller]", *controller]))
        path = tmp_path / f"{number}.toml"
        path.write_text("\n".join([*lines, *tables]) + "\n")
        simulated, _ = replay.respond(find_drive(str(path)), services)
        parts_of = [compare(real[m], simulated[m]) for m in (real > 0, ~services.write, services.write)]
        errors = [100 * part.mean_error for part in parts_of]
        assert (*errors, parts_of[0].paired_rmse_ms) == pytest.approx(documented, abs=0.006), documented


def test_reads_lack_the_time_of_the_bus_and_writes_a_constant(found):
    service = found["hp-335h-disk-0"].service
    asked = read_services(TRACE, "hp-srt", "0")
    missing = service.measured_ms - service.simulated_ms
    by_size = {
        (way, size): float(missing[(asked.write == (way == "write")) & (asked.size == size)].mean())
        for way in ("read", "write")
        for size in (1024, 2048, 8192)
    }
    assert by_size == pytest.approx(
        {
            ("read", 1024): 5.05, ("read", 2048): 5.46, ("read", 8192): 10.78,
            ("write", 1024): 2.03, ("write", 2048): 2.15, ("write", 8192): 5.28,
        },
        abs=0.01,
    )  # fmt: skip
    cylinder = asked.offset.astype(np.int64) // (256 * SECTORS_PER_TRACK * HEADS)
    moved = np.abs(np.diff(cylinder, prepend=0))
    for least, most in ((20, 100), (100, 300), (300, 616), (616, 1449)):
        these = asked.write & (moved >= least) & (moved < most)
        assert 4.5 <= missing[these].mean() <= 5.2, (least, most)
