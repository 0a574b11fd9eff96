"""`iowatt.trace.convert`: nothing is lost or changed on the way, and nothing half-written is left."""

from __future__ import annotations

import gzip
from pathlib import Path

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from iowatt.trace.convert import SCHEMA, convert
from iowatt.trace.measure import info
from iowatt.trace.open import requests, spec
from refused import refused

EXCERPT = Path(__file__).parents[2] / "examples/traces/pg_tpcc_paced_excerpt.parquet"
HEADER = "time_ns,device,op,offset,size,response_ns,stream"
CSV = f"""{HEADER}
0,sda,read,0,512,1000,alpha
1500,sdb,write,8192,4096,,
1500,sda,trim,4096,1048576,2000,beta
2500,sda,flush,0,0,,alpha
9000000000,sdb,read,17592186044416,4294966784,5,beta
"""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "in.csv"
    path.write_text(CSV)
    return path


def to(source: Path, target: Path, **options: object) -> Path:
    convert(spec(source), target, **options)
    return target


def leftovers(directory: Path) -> list[str]:
    return [path.name for path in directory.iterdir() if path.name.startswith(".iowatt-partial-")]


def test_csv_to_parquet_to_csv_is_the_identity(source: Path, tmp_path: Path) -> None:
    parquet = to(source, tmp_path / "t.parquet")
    assert to(parquet, tmp_path / "out.csv").read_text() == CSV


def test_parquet_has_the_native_columns(source: Path, tmp_path: Path) -> None:
    frame = pl.read_parquet(to(source, tmp_path / "t.parquet"))
    assert dict(frame.schema) == SCHEMA
    assert frame["device"].to_list() == ["sda", "sdb", "sda", "sda", "sdb"]
    assert frame["op"].to_list() == ["read", "write", "trim", "flush", "read"]
    assert frame["response_ns"].to_list() == [1000, None, 2000, None, 5]
    assert frame["stream"].to_list() == ["alpha", None, "beta", "alpha", "beta"]
    assert frame["offset"][4] == 2**44


def test_compressed_csv_is_the_same_csv(source: Path, tmp_path: Path) -> None:
    packed = to(source, tmp_path / "t.csv.gz")
    assert gzip.decompress(packed.read_bytes()).decode() == CSV
    zipped = to(packed, tmp_path / "t.csv.zst")
    assert zipped.read_bytes()[:4] == b"\x28\xb5\x2f\xfd"  # the magic of a zstd frame
    assert to(zipped, tmp_path / "out.csv").read_text() == CSV


def test_our_captures_become_bytes_and_nanoseconds(tmp_path: Path) -> None:
    head = tmp_path / "head.parquet"
    pl.scan_parquet(EXCERPT).head(2).sink_parquet(head)
    # 21,289,152 sectors x 512 = 10,900,045,824; 5,521,408 x 512 = 2,826,960,896; 0.027836 s = 27,836,000 ns.
    assert to(head, tmp_path / "t.csv").read_text() == (
        f"{HEADER}\n0,0,read,10900045824,8192,,client0\n27836000,0,read,2826960896,8192,,client0\n"
    )


def test_the_statistics_are_the_same_before_and_after(tmp_path: Path) -> None:
    before = info(spec(EXCERPT))
    for name in ("t.parquet", "t.csv.zst"):
        after = info(spec(to(EXCERPT, tmp_path / name)))
        changed = {key for key, value in before if value != getattr(after, key)}
        assert changed <= {"file", "format", "detected"}
    assert before.requests.count == 655_687


def test_unix_time_is_rebased_and_the_origin_is_told(tmp_path: Path) -> None:
    source = tmp_path / "in.csv"
    source.write_text("time_s,op,offset,size\n1000000000.5,R,0,512\n1000000002,W,512,512\n")
    result = convert(spec(source), tmp_path / "t.csv")
    assert result.origin == "2001-09-09T01:46:40.500000000Z"  # 10^9 s after 1970
    assert (tmp_path / "t.csv").read_text().splitlines()[1:] == [
        "0,0,read,0,512,,",
        "1500000000,0,write,512,512,,",
    ]


def test_one_device_can_be_taken_out(source: Path, tmp_path: Path) -> None:
    convert(spec(source, device="sdb"), tmp_path / "t.csv")
    assert (tmp_path / "t.csv").read_text().splitlines() == [
        HEADER,
        "1500,sdb,write,8192,4096,,",
        "9000000000,sdb,read,17592186044416,4294966784,5,beta",
    ]


def test_what_is_returned_counts_what_was_written(source: Path, tmp_path: Path) -> None:
    seen: list[tuple[float | None, int]] = []
    result = convert(
        spec(source), tmp_path / "t.csv", progress=lambda done, count: seen.append((done, count))
    )
    assert result.requests == 5
    assert result.bytes == len(CSV)
    assert result.path == str(tmp_path / "t.csv")
    assert seen[-1][1] == 5


def test_an_existing_file_is_replaced_only_by_force(source: Path, tmp_path: Path) -> None:
    target = tmp_path / "t.csv"
    target.write_text("precious")
    with refused("exists", str(target)):
        to(source, target)
    assert target.read_text() == "precious"
    assert to(source, target, force=True).read_text() == CSV


def test_a_trace_can_be_rewritten_in_place(source: Path) -> None:
    assert to(source, source, force=True).read_text() == CSV


@pytest.mark.parametrize("name", ["t.parquet", "t.csv", "t.csv.gz"])
def test_a_bad_record_leaves_nothing_and_says_its_line(source: Path, tmp_path: Path, name: str) -> None:
    source.write_text(CSV + "9000000001,sda,read,zero,512,,\n")
    with refused("bad-syntax", f"{source}:7"):  # a header and five records stand before it
        to(source, tmp_path / name)
    assert not (tmp_path / name).exists()
    assert leftovers(tmp_path) == []


def test_an_interrupted_conversion_leaves_nothing(source: Path, tmp_path: Path) -> None:
    def stop(_done: float | None, _count: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        convert(spec(source), tmp_path / "t.parquet", progress=stop)
    assert leftovers(tmp_path) == []
    assert not (tmp_path / "t.parquet").exists()


@pytest.mark.parametrize(
    ("target", "code"),
    [
        ("t.xlsx", "not-accepted"),
        ("t", "not-accepted"),
        ("nowhere/t.csv", "not-found"),
        ("dir.csv", "wrong-kind"),
    ],
)
def test_a_target_that_cannot_be_is_refused_before_reading(tmp_path: Path, target: str, code: str) -> None:
    (tmp_path / "dir.csv").mkdir()
    with refused(code, str(tmp_path / target)):
        convert(spec(tmp_path / "missing.csv"), tmp_path / target)


def test_requests_counts_and_names_while_it_reads(source: Path) -> None:
    opened = requests(spec(source, device="*", include_other=True), rows=2)
    lengths = [len(batch["op"]) for batch in opened]
    assert sum(lengths) == 5
    assert max(lengths) <= 2
    assert (opened.devices, opened.streams) == (["sda", "sdb"], ["alpha", "beta"])
    assert opened.summary()["requests"] == 5
    assert opened.progress == 1.0


NAMES = st.sampled_from(["sda", "a b", 'say "x"', "a,b", "ü"])
ROWS = st.lists(
    st.tuples(
        st.integers(0, 10**18 - 1),  # later stamps are taken for Unix time and rebased
        NAMES,
        st.sampled_from(["read", "write", "trim"]),
        st.integers(0, 2**62),
        st.integers(1, 2**32 - 1),
        st.none() | st.integers(0, 10**18),
        st.none() | NAMES,
    ),
    min_size=1,
    max_size=40,
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=ROWS)
def test_any_trace_survives_both_formats(tmp_path: Path, rows: list[tuple[object, ...]]) -> None:
    frame = pl.DataFrame(sorted(rows, key=lambda row: row[0]), schema=SCHEMA, orient="row")
    start = tmp_path / "start.parquet"
    frame.write_parquet(start)
    csv = to(start, tmp_path / "t.csv", force=True)
    end = pl.read_parquet(to(csv, tmp_path / "end.parquet", force=True))
    assert end.rows() == frame.rows()
