"""Logs of each tool, version and locale give the same figures."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import numpy as np
import pytest

from iowatt.counters import sysstat_json
from iowatt.counters.iostat import DROPPED
from iowatt.counters.log import CountersLog
from iowatt.counters.read import read
from refused import refused

DATA = Path(__file__).parents[1] / "data" / "counters"


def logged(name: str, **options: object) -> CountersLog:
    return read([DATA / name], **options)  # type: ignore[arg-type]


def first(log: CountersLog, device: str, *names: str) -> list[float]:
    return [float(log.column(device, name)[0]) for name in names]


def seconds(log: CountersLog) -> list[float]:
    return log.seconds.tolist()


@pytest.mark.parametrize(
    ("name", "intervals"),
    [
        ("iostat-12.6-xt.txt", 7),
        ("iostat-12.6-xt-iso.txt", 2),
        ("iostat-12.6-x.json", 5),
        ("iostat-12.6-xtd-de.txt", 2),
        ("iostat-12.6-xtd-us.txt", 2),
        ("iostat-12.6-xtd-fr.txt", 2),
        ("iostat-12.6-xtd.txt", 60),
        ("iostat-12.6-xst.txt", 3),
        ("iostat-12.6-dmt.txt", 4),
        ("iostat-12.6-d.txt", 3),
        ("iostat-12.6.json", 3),
    ],
)
def test_the_report_since_the_start_is_left_out(name: str, intervals: int) -> None:
    log = logged(name)
    assert log.format == "iostat"
    assert seconds(log) == pytest.approx([1.0] * intervals, rel=0.05)
    assert DROPPED in log.notes


@pytest.mark.parametrize(("name", "intervals"), [("iostat-12.6-xty.txt", 5), ("iostat-12.6-xyzd.txt", 3)])
def test_with_y_every_report_counts(name: str, intervals: int) -> None:
    log = logged(name)
    assert len(log.seconds) == intervals
    assert log.notes == []
    assert len(logged(name, first="drop").seconds) == intervals - 1


def test_what_was_left_out_can_be_kept() -> None:
    log = logged("iostat-12.6-xt.txt", first="keep")
    assert len(log.seconds) == 8
    assert first(log, "vda", "reads")[0] == pytest.approx(160.5, abs=0.1)  # the mean since the start


def test_figures_of_a_row_in_si_units() -> None:
    log = logged("iostat-12.6-xt.txt")
    assert first(log, "vda", "reads", "writes", "read_bytes", "write_bytes") == pytest.approx(
        [3792, 66, 90724 * 1024, 9936 * 1024], rel=2e-3
    )
    assert first(
        log, "vda", "read_merged", "read_wait", "write_wait", "queue", "utilisation"
    ) == pytest.approx([93, 2.23e-3, 0.35e-3, 8.48, 0.24])


def test_units_of_human_readable_reports() -> None:
    log = logged("iostat-12.6-xh.txt")
    assert first(log, "vda", "read_bytes", "read_size", "utilisation", "writes") == pytest.approx(
        [88.3 * 2**20, 23.9 * 1024, 0.236, 66]
    )


def test_short_and_plain_reports() -> None:
    assert first(logged("iostat-12.6-xst.txt"), "vda", "requests", "bytes", "merged") == pytest.approx(
        [3863, 105164 * 1024, 95]
    )
    plain = first(logged("iostat-12.6-d.txt"), "vda", "requests", "read_bytes", "write_bytes")
    assert plain == pytest.approx([3854, 90580 * 1024, 9936 * 1024])
    megabytes = first(logged("iostat-12.6-dmt.txt"), "vda", "read_bytes")
    assert megabytes == pytest.approx([88.3 * 2**20])


def test_the_interval_is_told_by_totals_where_there_are_no_stamps() -> None:
    assert seconds(logged("iostat-12.6-d.txt")) == pytest.approx([1.0] * 3, rel=1e-3)
    assert np.isnan(seconds(logged("iostat-12.6-x.txt"))).all()
    assert seconds(logged("iostat-12.6-x.txt", interval_s=5.0)) == [5.0] * 4


def test_columns_of_2006_with_a_name_on_its_own_line() -> None:
    log = logged("iostat-5-x.txt")
    assert list(log.devices) == ["sda", "/dev/mapper/vg00-lvol_data"]
    assert first(log, "sda", "reads", "writes", "read_bytes", "wait") == [90, 30, 1440 * 512, 0.01]
    assert first(log, "/dev/mapper/vg00-lvol_data", "reads", "read_bytes") == [40, 640 * 512]


def test_no_figures_of_the_processor_are_no_row_of_a_device(tmp_path: Path) -> None:
    text = (DATA / "iostat-5-x.txt").read_text()
    path = tmp_path / "x.txt"
    path.write_text(
        text.replace("5.00    0.00    2.00    9.00   84.00", "-nan    -nan    -nan    -nan   -nan")
    )
    assert logged("iostat-5-x.txt").devices.keys() == read([path]).devices.keys()


def test_columns_of_2016_over_midnight() -> None:
    log = logged("iostat-10-xtk.txt")
    assert seconds(log) == [10.0, 10.0]
    assert first(log, "sda", "reads", "write_bytes", "read_wait", "size") == [
        150,
        800 * 1024,
        0.006,
        20 * 512,
    ]


def test_coarse_megabytes_are_made_of_mean_sizes() -> None:
    log = logged("iostat-11.7-xm.txt")
    assert first(log, "nvme0n1", "read_bytes", "write_bytes") == pytest.approx(
        [10 * 4.4 * 1024, 5 * 5.6 * 1024]
    )


@pytest.mark.parametrize(
    "name", ["sar-12.6-d.txt", "sar-12.6-dp.txt", "sadf-12.6-d.csv", "sadf-12.6-d-de.csv", "sadf-12.6.json"]
)
def test_sar_and_what_sadf_makes_of_it_agree(name: str) -> None:
    log = logged(name)
    assert log.format == "sar"
    assert seconds(log) == pytest.approx([1.0] * len(log.seconds))
    got = first(log, "vda", "requests", "read_bytes", "write_bytes", "queue", "wait", "utilisation")
    assert got == pytest.approx([3832, 89924 * 1024, 9936 * 1024, 8.46, 2.21e-3, 0.236])


@pytest.mark.parametrize("name", ["sar-12.6-b.txt", "sadf-12.6-b.csv", "sadf-12.6-b.json"])
def test_sar_b_counts_reads_and_writes_of_all_devices(name: str) -> None:
    got = first(logged(name), "all", "reads", "writes", "read_bytes", "write_bytes")
    assert got == [3760, 66, 179848 * 512, 19872 * 512]


def test_tables_of_the_same_times_go_together() -> None:
    log = logged("sar-12.6-bd.txt")
    assert len(log.seconds) == 3
    assert log.column("all", "requests").tolist() == log.column("vda", "requests").tolist()


def test_averages_are_no_intervals_in_any_language() -> None:
    for locale in ("us", "de", "fr"):
        log = logged(f"sar-12.6-d-{locale}.txt")
        assert seconds(log) == [1.0, 1.0]
    assert first(logged("sar-12.6-d-de.txt"), "vda", "requests") == [1286.0]


@pytest.mark.parametrize("locale", ["zh", "ko", "fi", "in"])
def test_stamps_of_far_locales(locale: str) -> None:
    log = logged(f"sar-12.6-bd-{locale}.txt")
    assert list(log.devices) == ["all", "vda"]
    assert seconds(log) == [1.0, 1.0]
    assert first(log, "vda", "requests") == first(log, "all", "requests") == [1742.0]
    reports = logged(f"iostat-12.6-xtd-{locale}.txt")
    assert seconds(reports) == [1.0, 1.0]
    assert list(reports.devices) == ["vda"]


@pytest.mark.parametrize(
    ("name", "requests"),
    [
        ("sar-12.6-bd-comment.txt", [11, 100, 15, 2, 0, 0, 0]),
        ("sadf-12.6-bd-comment.csv", [11, 15, 2, 0, 0]),
        ("sadf-12.6-comment.json", [11, 15, 2, 0, 0]),
    ],
)
def test_comments_are_passed_over_and_records_within_a_second_are_told(
    name: str, requests: list[float]
) -> None:
    log = logged(name)
    assert log.column("vda", "requests").tolist() == requests
    if "all" in log.devices:
        assert log.column("all", "requests").tolist() == requests
    shorter = any("less than half a second" in note for note in log.notes)
    assert shorter == name.startswith("sadf")  # sar does not say that an interval was so short


def test_old_sar_over_midnight_and_a_restart() -> None:
    log = logged("sar-9-d.txt")
    assert seconds(log) == [600.0, 600.0, 600.0]
    assert log.column("dev8-0", "requests").tolist() == [20, 40, 10]
    assert log.column("dev8-16", "requests").tolist() == [0, 1, 0]
    assert first(log, "dev8-0", "read_bytes", "size") == [320 * 512, 24 * 512]


@pytest.mark.parametrize(
    "name",
    ["perfmon-relog.csv", "perfmon-comma.csv", "perfmon-semicolon.csv", "perfmon-utf16.tsv", "typeperf.txt"],
)
def test_windows_logs_agree_in_every_dress(name: str) -> None:
    log = logged(name)
    assert (log.format, len(log.seconds), log.notes) == (
        "perfmon",
        8,
        [],
    )  # the blank first sample is no interval
    assert seconds(log) == pytest.approx([1.001] * 8)
    assert set(log.devices) == {"0 C:", "1 D: E:", "volume C:"}  # and no _Total
    got = first(log, "0 C:", "reads", "writes", "read_bytes", "write_wait", "queue", "utilisation")
    assert got == pytest.approx([90, 40, 90 * 8192, 0.003, 1.8, 0.6475])


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_windows_logs_saved_by_a_spreadsheet(tmp_path: Path, delimiter: str) -> None:
    path = tmp_path / "x.csv"
    path.write_text(
        (DATA / "perfmon-relog.csv").read_text("utf-8").replace('","', delimiter).replace('"', ""), "utf-8"
    )
    log = read([path])
    assert len(log.seconds) == 8
    assert first(log, "0 C:", "reads", "utilisation") == pytest.approx([90, 0.6475])


def test_blank_cells_at_the_end_of_a_row_of_tabs(tmp_path: Path) -> None:
    path = tmp_path / "x.tsv"
    counter = r"\\H\PhysicalDisk(0 C:)\Disk"
    rows = [
        f"(PDH-TSV 4.0)\t{counter} Writes/sec\t{counter} Reads/sec",
        "01/01/2026 00:00:00.000\t \t ",
        "01/01/2026 00:00:01.000\t5\t7",
        "01/01/2026 00:00:02.000\t6\t",
    ]
    path.write_text("\n".join(rows))
    log = read([path])
    assert log.column("0 C:", "writes").tolist() == [5, 6]
    assert log.column("0 C:", "reads").tolist() == pytest.approx([7, np.nan], nan_ok=True)


def test_failed_samples_are_not_zero(tmp_path: Path) -> None:
    text = (DATA / "perfmon-relog.csv").read_text("utf-8")
    lines = text.splitlines()
    cells = lines[3].split(",")
    lines[3] = ",".join(
        [cells[0], *('" "' for _ in cells[1:12]), *('"-1"' for _ in cells[12:23]), *cells[23:]]
    )
    (tmp_path / "x.csv").write_text("\n".join(lines))
    log = read([tmp_path / "x.csv"])
    assert np.isnan(log.column("0 C:", "reads")[1])
    assert np.isnan(log.column("1 D: E:", "reads")[1])
    assert np.isnan(log.column("0 C:", "utilisation")[1])
    assert log.column("0 C:", "reads")[2] > 0
    assert log.notes[0].split()[0] == "16"  # eight counters of two disks


def test_counters_in_another_language_by_their_names(tmp_path: Path) -> None:
    text = (DATA / "perfmon-relog.csv").read_text("utf-8")
    for ours, theirs in (
        ("PhysicalDisk", "Physikalischer Datenträger"),
        ("Disk Reads/sec", "Lesevorgänge/s"),
    ):
        text = text.replace(ours, theirs)
    path = tmp_path / "de.csv"
    path.write_bytes(text.replace("LogicalDisk", "Logischer").encode("cp1252"))
    with refused("missing-figure", f"{path}:1"):
        read([path])
    log = read([path], names={"Disk Reads/sec": "Lesevorgänge/s"})
    assert log.column("0 C:", "reads")[0] == 90


def test_several_logs_follow_one_another_and_may_be_compressed(tmp_path: Path) -> None:
    packed = tmp_path / "log.gz"
    packed.write_bytes(gzip.compress((DATA / "iostat-12.6-xtd-us.txt").read_bytes()))
    log = read([packed, DATA / "iostat-12.6-xtd-de.txt"])
    assert log.column("vda", "reads").tolist() == [268.32, 153.0, 1292.0, 665.0]


def test_a_device_that_is_not_listed_is_idle(tmp_path: Path) -> None:
    kept = (DATA / "iostat-10-xtk.txt").read_text().splitlines()
    at = max(i for i, line in enumerate(kept) if line.startswith("dm-0"))
    (tmp_path / "z.txt").write_text("\n".join(kept[:at] + kept[at + 1 :]))
    log = read([tmp_path / "z.txt"])
    assert log.column("dm-0", "reads").tolist() == [150, 0]
    assert log.column("dm-0", "queue").tolist() == [1.2, 0]


@pytest.mark.parametrize(
    ("old", "new", "code", "named"),
    [
        ("150.00   50.00", "150.00   x0.00", "bad-syntax", ["'sda'", "w/s", "'x0.00'"]),
        ("150.00   50.00", "150.00  -50.00", "out-of-range", ["'sda'", "w/s", "'-50.00'"]),
        ("150.00   50.00", "150.00 ", "damaged", ["13"]),
        ("150.00   50.00", "150.00 " + "9" * 22, "out-of-range", ["'sda'", "w/s", "9" * 22]),
        ("03/05/2016 12:00:10 AM", "03/04/2016 11:00:10 PM", "out-of-order", []),
    ],
)
def test_wrong_rows_are_named_with_their_line(
    tmp_path: Path, old: str, new: str, code: str, named: list[str]
) -> None:
    path = tmp_path / "log.txt"
    path.write_text((DATA / "iostat-10-xtk.txt").read_text().replace(old, new, 1))
    with refused(code, f"{path}:{24 if code == 'out-of-order' else 16}") as raised:
        read([path])
    for name in named:
        assert name in raised.value.message


def test_malformed_rows_can_be_skipped_and_leave_a_hole(tmp_path: Path) -> None:
    path = tmp_path / "log.txt"
    path.write_text((DATA / "iostat-10-xtk.txt").read_text().replace("150.00   50.00", "150.00   x0.00", 1))
    log = read([path], skip_bad=1)
    assert log.bad == 1
    assert np.isnan(log.column("sda", "reads")[0])
    assert log.column("sda", "reads")[1] == 50


@pytest.mark.parametrize(
    ("content", "code", "behind"),
    [
        (b"", "wrong-format", ""),
        (b"time,op,offset\n1,R,0\n", "wrong-format", ""),
        (b'{"sysstat": {"hosts": [', "wrong-format", ":1"),
        (b'{"sysstat": 3}', "missing", ": sysstat"),
        (b"[" * 100_000, "wrong-format", ""),
        (b'{"a":' * 100_000, "too-large", ""),
        (
            b'"(PDH-CSV 4.0)","\\\\H\\Processor(0)\\% Idle Time"\n"01/01/2020 00:00:00.0","1"\n',
            "missing-figure",
            ":1",
        ),
        (b"\x1f\x8b\x08\x00\x00", "damaged", ""),
    ],
)
def test_what_is_no_log_is_refused(tmp_path: Path, content: bytes, code: str, behind: str) -> None:
    path = tmp_path / "x"
    path.write_bytes(content)
    with refused(code, f"{path}{behind}"):
        read([path])


def test_json_is_bounded_in_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sysstat_json, "_MOST_CHARACTERS", 100)
    with refused("too-large", re.compile(r"iostat-12\.6\.json:\d+$")):
        logged("iostat-12.6.json")


def test_a_single_report_is_no_workload(tmp_path: Path) -> None:
    text = (DATA / "iostat-10-xtk.txt").read_text().split("03/05/2016")[0]
    (tmp_path / "one.txt").write_text(text)
    with refused("empty", str(tmp_path / "one.txt")):
        read([tmp_path / "one.txt"])


def test_logs_of_two_tools_do_not_mix() -> None:
    with refused("conflict", str(DATA / "sar-9-d.txt")):
        read([DATA / "iostat-10-xtk.txt", DATA / "sar-9-d.txt"])
    with refused("wrong-format", str(DATA / "iostat-10-xtk.txt")):
        logged("iostat-10-xtk.txt", format_="sar")
