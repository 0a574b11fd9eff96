"""Fitting: the parts by hand, a synthetic trace recovered, round trips, refusals."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from figures import figures
from iowatt.base.errors import InputError
from iowatt.cli.main import app
from iowatt.evaluate.fit import build, calibrate, fidelity
from iowatt.evaluate.fit.fidelity import FitDocument
from iowatt.evaluate.fit.run import fit
from iowatt.model.profile.find import load
from iowatt.pages.fit import document as page
from iowatt.trace.description import (
    Description,
    JumpTable,
    ReuseFigures,
    ReuseHistogram,
    Sequentiality,
    SequentialRuns,
    SizeHistogram,
)
from iowatt.trace.generate import generate, prepare
from iowatt.trace.measure import describe
from refused import check

ROOT = Path(__file__).parents[2]
EXCERPT = ROOT / "examples/traces/pg_tpcc_paced_excerpt.parquet"
KNOWN = """schema = "iowatt.profile/1"
name = "known"
title = "A law that is known"
span = "64MiB"
[arrivals]
law = "cascade"
rate = 200
window = "8s"
stay = 3
unevenness = [[0.5], [0.5], [0.5], [0.0]]
[[stream]]
name = "scan"
share = 40
read_share = 100
size = "64KiB"
[stream.access]
pattern = "density"
extent = "1MiB"
extents = [1, 2, 3]
weights = [1, 2, 5]
runs = [{ requests = 6, share = 100 }]
[[stream]]
name = "hot"
share = 60
read_share = 0
size = "4KiB"
access = { pattern = "density", extent = "64KiB", extents = [400, 410, 500], weights = [6, 3, 1] }
"""
runner = CliRunner()


def invoke(*arguments: object) -> Result:
    return runner.invoke(app, ["trace", "fit", *map(str, arguments)])


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A trace whose law is known: 20,000 requests."""
    folder = tmp_path_factory.mktemp("known")
    (folder / "known.toml").write_text(KNOWN)
    trace = folder / "known.parquet"
    generate(prepare(str(folder / "known.toml"), seed=11, requests=20_000), trace)
    return trace


@pytest.fixture(scope="module")
def fitted(
    known: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, list[fidelity.FidelityFigure]]:
    target = tmp_path_factory.mktemp("fitted") / "fitted.toml"
    return target, fit({"path": str(known)}, target, steps=4).fidelity


def test_a_known_law_is_recovered(fitted: tuple[Path, list[fidelity.FidelityFigure]]) -> None:
    found = {m.name: m for m in fitted[1]}
    for name in ("requests", "mean rate", "mean transfer rate", "read size mean", "write size mean"):
        assert abs(found[name].relative or 0) < 0.02, name
    assert found["read size mean"].synthetic == 65536
    assert found["write size mean"].synthetic == 4096
    assert abs(found["reads"].difference or 0) < 1
    # 5 of 6 reads go on, and some by chance; no write does but by chance.
    assert found["reads that continue a run"].original == pytest.approx(100 * 5 / 6, abs=8)
    assert abs(found["reads that continue a run"].difference or 0) < 5
    for width in ("0.25", "1", "4"):
        assert abs(found[f"index of dispersion over {width} s"].relative or 0) < 0.25
    for cache in ("1", "16", "256"):
        assert abs(found[f"miss ratio of an LRU cache of {cache} MiB"].difference or 0) < 5
    # Runs that begin where the trace's went on reach beyond its places: docs/models/workload.md, "Fitting".
    assert 0 <= (found["footprint"].relative or 0) < 1


def test_the_profile_says_what_the_trace_is(
    fitted: tuple[Path, list[fidelity.FidelityFigure]], known: Path
) -> None:
    text = fitted[0].read_text("utf-8")
    document = tomllib.loads(text)
    assert document["schema"] == "iowatt.profile/1"
    assert {stream["name"] for stream in document["stream"]} == {"reads-large", "writes-small"}
    writes = next(s for s in document["stream"] if s["name"] == "writes-small")
    got = dict(zip(writes["access"]["extents"], writes["access"]["weights"], strict=True))
    extent = writes["access"]["extent"]
    share = sum(weight for at, weight in got.items() if at * extent // 65536 == 400) / sum(got.values())
    assert abs(share - 0.6) < 0.02
    total = sum(p["factor"] * float(p["duration"].removesuffix("s")) for p in document["phase"])
    span = sum(float(p["duration"].removesuffix("s")) for p in document["phase"])
    assert abs(total / span - 1) < 1e-6
    loaded = load(str(fitted[0]))
    loaded.check(loaded.profile.span)
    comments = [line for line in text.splitlines() if line.startswith("#")]
    assert any("[arrivals]" in line and "rate" in line for line in comments) and len(comments) > 6


def test_the_same_trace_gives_the_same_profile(known: Path, tmp_path: Path) -> None:
    for name in ("a", "b"):
        fit({"path": str(known)}, tmp_path / f"{name}.toml", steps=1)
    assert (tmp_path / "a.toml").read_bytes() == (tmp_path / "b.toml").read_bytes()


def test_a_fitted_profile_is_a_workload_of_any_length(
    fitted: tuple[Path, list[fidelity.FidelityFigure]], tmp_path: Path
) -> None:
    written = generate(prepare(str(fitted[0]), seed=3, requests=50_000), tmp_path / "long.parquet")
    assert written.requests == 50_000
    assert not list(fitted[0].parent.glob(".*"))


def test_the_verb_prints_and_simulates(known: Path, tmp_path: Path) -> None:
    target = tmp_path / "db.toml"
    scenario = ROOT / "examples/fit-raid5.toml"
    result = invoke(
        known, "-o", target, "--scenario", scenario, "--steps", 1, "--seeds", 2, "--json", "--name", "db"
    )
    assert result.exit_code == 0, result.output
    document = json.loads(result.stdout)
    assert (document["schema"], document["seeds"]) == ("iowatt.fit/1", [1, 2])
    rows = {row["name"]: row for row in document["simulated"]}
    mean = rows["response time, mean"]
    assert mean["original"] > 0 and mean["spread"][0] <= mean["synthetic"] <= mean["spread"][1]
    energy = rows["energy above idle"]
    assert energy["original"] > 0 and energy["relative"] == pytest.approx(
        energy["synthetic"] / energy["original"] - 1
    )
    response, *_, energies = page(FitDocument.model_validate(document)).figures()
    assert (response.key, energies.key) != ("", "") and all(row[1] is not None for row in energies.table.rows)
    off = next(row[3] for row in energies.table.rows if row[0] == "energy above idle, J")
    low, high = (100 * (value / energy["original"] - 1) for value in energy["spread"])
    assert off == f"{100 * energy['relative']:+.1f} % ({low:+.1f} to {high:+.1f})"
    assert tomllib.loads(target.read_text("utf-8"))["name"] == "db"
    again = invoke(known, "-o", target)
    check(again.exception, "exists", str(target))


def csv(folder: Path, rows: str) -> Path:
    path = folder / "t.csv"
    path.write_text("time_ms,op,offset,size,device\n" + rows)
    return path


@pytest.mark.parametrize(
    ("rows", "code", "count"),
    [
        ("0,R,0,4096,a\n1,R,0,4096,b\n", "ambiguous", 2),
        ("0,R,0,4096,a\n", "empty", 1),
        ("0,R,0,4096,a\n0,R,0,4096,a\n", "empty", 2),
    ],
)
def test_what_cannot_be_fitted_is_refused(rows: str, code: str, count: int, tmp_path: Path) -> None:
    trace = csv(tmp_path, rows)
    result = invoke(trace, "-o", tmp_path / "p.toml")
    check(result.exception, code, str(trace))
    assert figures(result.exception.message)[0] == count
    assert not (tmp_path / "p.toml").exists()


def test_other_refusals(tmp_path: Path) -> None:
    few = csv(tmp_path, "0,R,0,4096,a\n5,W,8192,512,a\n9,R,0,4096,a\n")
    target, nowhere, absent, scenario = (
        tmp_path / name for name in ("p.toml", "no/p.toml", "none.csv", "s.toml")
    )
    for arguments, code, place in (
        ((few, "-o", tmp_path / "p.json"), "not-accepted", tmp_path / "p.json"),
        (("-", "-o", target), "read-once", "-"),
        ((absent, "-o", target), "not-found", absent),
        ((few, "-o", nowhere, "--steps", 0), "unwritable", nowhere),
        ((few, "-o", target, "--scenario", scenario), "not-found", scenario),
    ):
        check(invoke(*arguments).exception, code, place)
    text = (ROOT / "examples/fit-raid5.toml").read_text("utf-8")
    scenario.write_text(
        text.replace(
            'trace = { path = "traces/pg_tpcc_paced_excerpt.parquet" }', 'profile = { name = "tpc-c" }'
        )
    )
    with pytest.raises(InputError):
        fit({"path": str(few)}, tmp_path / "p.toml", scenario=scenario)
    assert not (tmp_path / "p.toml").exists()


def test_three_requests_make_a_profile(tmp_path: Path) -> None:
    few = csv(tmp_path, "0,R,0,4096,a\n5,W,8192,512,a\n9,R,1099511627776,4096,a\n")
    result = invoke(few, "-o", tmp_path / "p.toml", "--name", "few")
    assert result.exit_code == 0, result.output
    assert "requests" in result.stdout
    load(str(tmp_path / "p.toml"))


def test_hostile_names_stay_text(tmp_path: Path) -> None:
    path = tmp_path / 'a"]\n\u2028[x].csv'
    path.write_text("time_ms,op,offset,size\n0,R,0,4096\n5,W,8192,512\n9,R,0,4096\n")
    assert invoke(path, "-o", tmp_path / "p.toml", "--steps", 0).exit_code == 0
    assert "x" not in tomllib.loads((tmp_path / "p.toml").read_text("utf-8"))


def test_otsu_by_hand() -> None:
    of = SizeHistogram(bytes=[512, 1024, 65536], reads=[10, 0, 5], writes=[0, 10, 5])
    assert build.threshold(of) == 1024
    assert build.classes(of) == {"-small": (0, 1024), "-large": (1025, (1 << 32) - 1)}
    assert build.classes(SizeHistogram(bytes=[4096], reads=[3], writes=[1])) == {"": None}
    rare = SizeHistogram(bytes=[4096, 65536], reads=[10_000, 1], writes=[0, 0])
    assert build.threshold(rare) is None


def test_a_step_moves_shares_by_what_is_missing() -> None:
    def of(depths: dict[int, float], consecutive: float) -> Description:
        # Only what a step reads.
        rows = ReuseHistogram(
            from_blocks=list(depths),
            to_blocks=list(depths),
            read_share=list(depths.values()),
            write_share=[0.0] * len(depths),
        )
        return Description.model_construct(
            reuse=ReuseFigures.model_construct(histogram=rows),
            jumps=JumpTable.model_construct(direction=["forward"], from_bytes=[4096], request_share=[0.5]),
            sequential=Sequentiality.model_construct(
                consecutive_request_share=consecutive,
                runs=SequentialRuns.model_construct(sequential_request_share=0.5),
            ),
        )

    original = of({1: 0.5, 8: 0.2}, 0.25)
    tuned = calibrate.first_parameters(original)
    assert tuned.stick == 0.5
    moved = calibrate.next_parameters(tuned, original, of({1: 0.3, 8: 0.6}, 0.5), 1.0)
    # Depth 1 lacks 0.2, new places 0.2 (0.3 less 0.1); depth 8 has too much, which no share can take away.
    assert moved.reuse["read"] == pytest.approx({1: 0.2, 0: 0.2})
    assert moved.stick == 0.25
    assert moved.jumps == {}
    assert moved.fresh("read") == pytest.approx(0.2) and moved.fresh("write") == 0.0


def test_stay_by_hand() -> None:
    half = {"length_s": 1.0, "factor": 1.0, "shares": {"reads": 50.0, "writes": 50.0}}
    # Half of the draws change the direction; with 3 of 4 requests repeating it, one in two is drawn.
    assert build.stay(Description.model_construct(direction_repeats=0.75), [half]) == pytest.approx(2.0)
    assert build.stay(Description.model_construct(direction_repeats=0.2), [half]) == 1.0
    assert build.stay(Description.model_construct(direction_repeats=None), [half]) == 1.0


def test_inline_toml() -> None:
    value = {"a": 'x"\\\n', "b": [1, 2.5], "c": 1e-7}
    assert tomllib.loads(f"v = {build.inline(value)}") == {"v": value}


def test_dyadic_windows_and_classes_of_sizes() -> None:
    whole = describe({"path": str(EXCERPT)}, dyadic_windows=True)
    small = describe({"path": str(EXCERPT)}, dyadic_windows=True, size_bytes=(0, 8192))
    large = describe({"path": str(EXCERPT)}, dyadic_windows=True, size_bytes=(8193, 1 << 31))
    assert whole.over_time.window_s == 1.0
    assert whole.requests.count == small.requests.count + large.requests.count
    assert small.span == whole.span
    assert max(small.sizes.histogram.bytes) <= 8192 < min(large.sizes.histogram.bytes)
    with pytest.raises(InputError):
        describe({"path": str(EXCERPT)}, size_bytes=(9, 8))
