"""Sequential requests of one disk come at the rate of its media, whatever its bus and the host's pauses."""

from __future__ import annotations

import functools

import pytest

import iowatt

SHEET = "toshiba-mg04sca500e"
RATED_MB_S = 215
CACHED = "write_cache = true"
HOST_50US = '[array.controller]\nprocessing = { read = "50us", write = "50us" }\n'
AHEAD = """\
name = "ahead"
kind = "hdd"
title = "The stand-in of arrays2002, reading ahead"
based_on = "arrays2002-disk"
[buffer]
read_ahead = "segment"
[controller]
sector = ["{sector}", "{sector}"]
"""


@functools.cache
def simulate(folder, device, size, *, requests=4000, read_share=100, pool="", controller=""):
    path = folder / "sequential.toml"
    path.write_text(f"""
name = "sequential"
seed = 1
[[workload]]
name = "stream"
[workload.profile]
name = "uniform"
requests = {requests}
set = [
    "arrivals={{law='closed', outstanding=1}}", "stream.uniform.access={{pattern='sequential'}}",
    "stream.uniform.size={size}", "stream.uniform.align={size}", "stream.uniform.read_share={read_share}",
]
[[array.pool]]
name = "disk"
device = "{device}"
count = 1
{pool}
{controller}
[observe]
warmup = "0s"
""")
    return iowatt.run(path).summary


def rate(folder, device, size, **asked):
    """Megabytes a second, one request outstanding."""
    return simulate(folder, device, size, **asked)["throughput"]["mib_per_s"] * 2**20 / 1e6


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("sequential")


def test_a_stream_does_not_depend_on_the_time_of_its_bus(folder):
    rates = []
    for number, sector in enumerate(("0us", "0.01us", "0.1us", "1us")):
        (folder / f"ahead{number}.toml").write_text(AHEAD.format(sector=sector))
        rates.append(rate(folder, f"ahead{number}.toml", "4KiB", requests=20_000))
    assert rates == sorted(rates, reverse=True)
    # 334 sectors in a turn of 5 ms are 34 MB/s; skews, and slower zones further in.
    assert rates[0] == pytest.approx(rates[-1], rel=1e-3) and 27 < rates[0] < 34


@pytest.mark.parametrize(
    ("size", "requests", "controller"),
    [("64KiB", 5_000, HOST_50US), ("64KiB", 5_000, ""), ("4KiB", 80_000, "")],
)
def test_a_data_sheet_reads_at_its_rate(folder, size, requests, controller):
    found = rate(folder, SHEET, size, requests=requests, controller=controller)
    # The outermost tracks, and two turns before the drive knows that it is a stream.
    assert found == pytest.approx(RATED_MB_S, rel=0.03)


def test_the_run_says_what_was_assumed(folder):
    (note,) = [n for n in simulate(folder, SHEET, "64KiB")["notes"] if "assumed, not published" in n]
    for figure in ("buffer.segments", "buffer.read_ahead", "buffer.fast_write", "command_queue.scheduler"):
        assert f"{figure} = " in note


def test_writes_lose_a_turn_each_unless_the_write_cache_is_turned_on(folder):
    # 64 KiB in 0.3 ms of media and a turn of 8.33 ms.
    through = rate(folder, SHEET, "64KiB", read_share=0, controller=HOST_50US)
    assert through == pytest.approx(0.065536 / 8.64e-3, rel=0.02)
    # The buffer takes 64 MiB at 600 MB/s, the rest as the media write.
    back = rate(folder, SHEET, "64KiB", read_share=0, requests=20_000, pool=CACHED)
    assert back == pytest.approx(RATED_MB_S / (1 - 64 * 2**20 / (20_000 * 2**16)), rel=0.03)


def test_a_buffer_that_is_given_wins(folder):
    (folder / "bare.toml").write_text(
        f'name = "bare"\nkind = "hdd"\ntitle = "Bare"\nbased_on = "{SHEET}"\n[buffer]\nsegments = 0\n'
    )
    assert rate(folder, "bare.toml", "64KiB", controller=HOST_50US) < 8
