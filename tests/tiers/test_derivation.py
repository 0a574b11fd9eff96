"""The derivation from end to end, on a small pool: what it writes, what it predicts, what it refuses."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from importlib import resources
from pathlib import Path

import pytest
from made import front, load, technology
from typer.testing import CliRunner

import iowatt
from iowatt.base.errors import Argument
from iowatt.cli.main import app
from iowatt.evaluate.search import PricingRequest
from iowatt.evaluate.tiers import benchmark, candidate, choose, predict
from iowatt.run.bundle import Run
from refused import check, problems

runner = CliRunner()

SCENARIO = """
name = "small"
seed = 5
[[workload]]
name = "w"
volume = "v"
profile = { name = "skew", rate_iops = 1200, duration = "30s", set = [
    "stream.skew.access.extent=1GiB", "stream.skew.access.k=14", "stream.skew.size=8KiB"] }
[[array.pool]]
name = "disks"
device = "toshiba-mg04sca500e"
count = 40
raid = { level = 10, stripe_unit = "64KiB" }
[[array.volume]]
name = "v"
pool = "disks"
capacity = "10TB"
[observe]
heat = { extent = "1GiB", points = ["front"] }
"""
CANDIDATES = """
[[tier]]
name = "fast"
device = "intel-dc-s3700-800gb"
price = 900
[[tier]]
name = "big"
device = "toshiba-mg04sca500e"
price = 220
"""
PROFILE = """
schema = "iowatt.profile/1"
name = "prof"
title = "Small reads"
[arrivals]
law = "poisson"
rate = 20
[[stream]]
name = "r"
share = 100
size = "8KiB"
read_share = 100
access = { pattern = "uniform" }
[[source]]
figures = ["arrivals", "stream"]
quality = "defined"
text = "made for this test"
"""


@pytest.fixture
def files(tmp_path):
    (tmp_path / "small.toml").write_text(SCENARIO)
    (tmp_path / "tiers.toml").write_text(CANDIDATES)
    return tmp_path


def invoke(folder, *words, scenario="small.toml", tiers="tiers.toml"):
    given = [] if tiers is None else ["--tiers", tiers if "," in tiers else str(folder / tiers)]
    return runner.invoke(app, ["tier", str(folder / scenario), *given, *map(str, words)])


@pytest.fixture(scope="module")
def derived(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tiers")
    (folder / "small.toml").write_text(SCENARIO)
    (folder / "tiers.toml").write_text(CANDIDATES)
    done = invoke(folder, "-o", folder / "out", "--json", "--objective", "dollars")
    assert done.exit_code == 0, done.output
    return folder / "out", json.loads(done.stdout)


def test_two_tiers_are_chosen_and_their_shares_add_up(derived):
    _, found = derived
    assert found["schema"] == "iowatt.tier/1"
    tiers = found["chosen"]["tiers"]
    assert [tier["name"] for tier in tiers] == ["fast", "big"]
    assert sum(tier["space_share"] for tier in tiers) == pytest.approx(1)
    assert sum(tier["io_share"] for tier in tiers) == pytest.approx(1)
    # k = 14: much of the I/O on little of the space.
    assert tiers[0]["io_share"] > 0.7
    assert tiers[0]["space_share"] < 0.5
    assert all(tier["utilisation"] <= 0.7 for tier in tiers)
    assert found["load"]["stored_gb"] == pytest.approx(10_000)
    # The least of all alternatives.
    totals = [row["total_usd"] for row in found["alternatives"] if row["total_usd"] is not None]
    bought = sum(tier["drives"] * {"fast": 900, "big": 220}[tier["name"]] for tier in tiers)
    assert found["chosen"]["predicted"]["usd"] == pytest.approx(bought)
    # The drives were tried again at their load since, which moves their watts a little.
    assert found["chosen"]["predicted"]["total_usd"] == pytest.approx(min(totals), rel=0.05)


def test_dollars_are_of_the_cost_book_over_years_energy_included(files):
    pricing = [PricingRequest(years=years).resolve() for years in (1.0, 5.0)]
    one, five = (benchmark.drive_cost({"device": "arrays2002-disk"}, files, each, 100.0) for each in pricing)
    assert one.usd == five.usd == 100.0
    assert five.usd_per_w == pytest.approx(5 * one.usd_per_w, rel=1e-3)
    # 8,760 hours of a year, at the default tariff's price (us-median-commercial-2023), for the facility.
    book = pricing[0].book
    assert one.usd_per_w == pytest.approx(8.76 * 0.1172 * book.number("cooling.pue"), rel=1e-3)
    assert five.upkeep_usd == pytest.approx(5 * one.upkeep_usd, rel=1e-3) and one.upkeep_usd > 0
    own = benchmark.drive_cost({"device": "arrays2002-disk"}, files, pricing[0], None)
    assert own.usd != 100.0 and own.usd_per_w == one.usd_per_w


def test_what_draws_little_may_win_where_dollars_count_years():
    thirsty = technology("thirsty", usd=100.0, idle_w=20.0)
    frugal = technology("frugal", usd=150.0, idle_w=5.0)
    work = load([1.0] * 10)
    for per_w, winner in ((0.0, 0), (8.0, 1)):
        priced = [replace(one, usd_per_w=per_w) for one in (thirsty, frugal)]
        assert set(choose.assign(work, priced, 0.7, "dollars").tolist()) == {winner}
    tiers = choose.lay_out(work, [replace(frugal, usd_per_w=8.0)], 0.7, "dollars")
    found = predict.predict(work, tiers, front()).total
    assert found.total_usd == pytest.approx(found.usd + 8.0 * found.power_w)


def test_the_prediction_is_held_against_the_simulation(derived):
    _, found = derived
    errors = found["errors"]
    assert abs(errors["iops"]) < 0.01
    assert abs(errors["power_w"]) < 0.15
    assert abs(errors["response_time_ms"]) < 0.4
    for tier in errors["tiers"]:
        assert abs(tier["operations_per_s"]) < 0.03
    told, got = found["chosen"]["predicted"], found["simulated"]
    assert errors["power_w"] == pytest.approx(told["power_w"] / got["power_w"] - 1)


def test_what_is_written_runs_again_and_is_the_same(derived):
    folder, found = derived
    assert sorted(path.name for path in folder.iterdir()) == [
        "one-pool",
        "scenario.toml",
        "tier.json",
        "tiers",
    ]
    assert json.loads((folder / "tier.json").read_text()) == found
    again = iowatt.run(folder / "scenario.toml")
    kept = Run.open(folder / "tiers")
    assert again.table("latency").equals(kept.table("latency"))
    assert again.summary["response_time_ms"]["all"]["mean"] == found["simulated"]["response_time_ms"]
    one = Run.open(folder / "one-pool")
    assert {space["point"] for space in one.summary["heat"]["spaces"]} == {"front", "back"}


def test_a_limit_of_response_time_is_kept(files):
    done = invoke(
        files, "--no-simulate", "--json", "-o", files / "a", "--within", "8ms", "--objective", "dollars"
    )
    assert done.exit_code == 0, done.output
    strict = json.loads(done.stdout)
    assert strict["simulated"] is None
    assert strict["chosen"]["predicted"]["response_time_ms"] <= 8
    loose = json.loads(
        invoke(files, "--no-simulate", "--json", "-o", files / "b", "--objective", "dollars").stdout
    )
    assert loose["chosen"]["predicted"]["usd"] <= strict["chosen"]["predicted"]["usd"]
    big = [row for row in strict["alternatives"] if row["tiers"] == "big"]
    assert big[0]["drives"] is None  # 13 ms a service: no number of them is enough
    impossible = invoke(files, "--within", "0.01ms", "-o", files / "c")
    check(impossible.exception, "infeasible", Argument("tiers"))
    assert not (files / "c").exists()


def test_text_says_what_json_says(files):
    done = invoke(files, "-o", files / "out", "--objective", "dollars")
    assert done.exit_code == 0, done.output
    found = json.loads((files / "out" / "tier.json").read_text("utf-8"))
    printed = done.stdout.replace("\u00a0", " ")
    for one in found["chosen"]["tiers"]:
        assert f"{one['drives']} x {one['name']}" in printed
    assert all(one["tiers"] in printed for one in found["alternatives"])
    assert all(one["name"] in printed for one in found["candidates"])
    assert f"{100 * found['errors']['power_w']:+.1f} %" in printed
    assert all((note["text"] in printed) == note["decides"] for note in found["notes"])
    assert f"scenario: {files / 'out' / 'scenario.toml'}" in done.stdout.replace("\n", "")


@pytest.mark.parametrize("here", [True, False], ids=["relative", "absolute"])
def test_files_that_the_scenario_and_the_candidates_name_are_found(tmp_path, monkeypatch, here):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sub" / "tr").mkdir(parents=True)
    (tmp_path / "cand").mkdir()
    rows = "".join(f"{at / 100},R,{at * 7919 % 9000 * 1048576},8192\n" for at in range(3000))
    (tmp_path / "sub" / "tr" / "t.csv").write_text("time_s,op,offset,size\n" + rows)
    device = (resources.files("iowatt.model.library") / "devices" / "toshiba-mg04sca500e.toml").read_text(
        "utf-8"
    )
    own = device.replace('name = "toshiba-mg04sca500e"', 'name = "own"')
    (tmp_path / "sub" / "dev.toml").write_text(own)
    (tmp_path / "cand" / "dev.toml").write_text(own)
    (tmp_path / "sub" / "prof.toml").write_text(PROFILE)
    (tmp_path / "sub" / "s.toml").write_text(
        """
name = "own-files"
[[workload]]
name = "t"
volume = "v"
trace = { path = "tr/t.csv" }
[[workload]]
name = "p"
volume = "v"
profile = { name = "prof.toml", requests = 500 }
[[array.pool]]
name = "disks"
device = "dev.toml"
count = 8
raid = { level = 10 }
[[array.volume]]
name = "v"
pool = "disks"
capacity = "10GB"
"""
    )
    (tmp_path / "cand" / "c.toml").write_text('[[tier]]\nname = "own"\ndevice = "dev.toml"\n')
    root = Path() if here else tmp_path
    for output in (root / "out", root / "deep" / "er" / "out"):
        words = ["tier", root / "sub" / "s.toml", "--tiers", root / "cand" / "c.toml", "-o", output, "--json"]
        done = runner.invoke(app, list(map(str, words)))
        assert done.exit_code == 0, done.exception
        assert json.loads(done.stdout)["simulated"]["iops"] > 0
        again = iowatt.run(output / "scenario.toml")
        assert again.table("latency").equals(Run.open(output / "tiers").table("latency"))
        # Nothing of where it was made.
        assert "iowatt-partial" not in (output / "scenario.toml").read_text()
        assert "iowatt-partial" not in (output / "tiers" / "run.json").read_text()


@pytest.mark.parametrize(
    ("words", "code", "place"),
    [
        (["--objective", "beauty"], "not-accepted", "^objective"),
        (["--utilisation", "1.5"], "out-of-range", "^utilisation"),
        (["--utilisation", "nan"], "out-of-range", "^utilisation"),
        (["--extent", "1KiB"], "out-of-range", "^extent"),
        (["--extent", "1TiB", "--set", "array.volume.v.capacity=4TB"], "out-of-range", "^extent"),
        (["--within", "soon"], "bad-syntax", "within"),
        (["--set", "array.pool.disks.count=0"], "out-of-range", r"array\.pool\.disks\.count$"),
        (["--set", "workload=[]", "--set", "observe.duration=1s"], "missing", r"small\.toml$"),
    ],
)
def test_what_is_wrong_is_refused(files, words, code, place):
    done = invoke(files, "-o", files / "out", *words)
    check(done.exception, code, re.compile(place))
    assert done.exception.exit_code == 2
    assert not (files / "out").exists()


@pytest.mark.parametrize(
    ("text", "code", "place"),
    [
        ("", "wrong-format", r"wrong\.toml$"),
        ('[[tiers]]\ndevice = "toshiba-mg04sca500e"\n', "wrong-format", r"wrong\.toml$"),
        ("[[tier]]\n", "missing", r"wrong\.toml:1: tier\.0\.device$"),
        ('[[tier]]\ndevice = "no-such-drive"\n', "unknown-name", r":2: tier\.0\.device"),
        ('[[tier]]\ndevice = "toshiba-mg04sca500e"\ncolour = 1\n', "unknown-key", r":3: tier\.0\.colour$"),
        ('[[tier]]\ndevice = "toshiba-mg04sca500e"\nprice = -1\n', "out-of-range", r":3: tier\.0\.price$"),
        ('[[tier]]\ndevice = "toshiba-mg04sca500e"\nprice = nan\n', "out-of-range", r":3: tier\.0\.price$"),
        ('[[tier]]\ndevice = "toshiba-mg04sca500e"\ngroup = 0\n', "out-of-range", r":3: tier\.0\.group$"),
        (2 * '[[tier]]\nname = "a"\ndevice = "toshiba-mg04sca500e"\n', "duplicate", "^tiers$"),
        (9 * '[[tier]]\ndevice = "toshiba-mg04sca500e"\n', "out-of-range", r"wrong\.toml:1: tier$"),
        ('[[tier]]\ndevice = "quantum-atlas-10k"\n', "missing-figure", r":2: tier\.0\.device"),
        ('tier = "x"\n', "wrong-type", r"wrong\.toml:1: tier$"),
        ("[[tier]\n", "wrong-format", r"wrong\.toml:1$"),
    ],
)
def test_candidates_that_cannot_be_are_refused(files, text, code, place):
    (files / "wrong.toml").write_text(text)
    done = invoke(files, "-o", files / "out", "--no-simulate", tiers="wrong.toml")
    check(done.exception, code, re.compile(place))
    assert done.exception.exit_code == 2


def test_a_file_without_candidates_is_that_of_a_device(files):
    (files / "wrong.toml").write_text('kind = "hdd"\n')
    done = invoke(files, "-o", files / "out", "--no-simulate", tiers="wrong.toml")
    check(done.exception, "several", files / "wrong.toml")
    assert any(code == "missing" and place.endswith("title") for code, place in problems(done.exception))


GOOD = '[[tier]]\ndevice = "toshiba-mg04sca500e"\n'


@pytest.mark.parametrize(
    ("tiers", "code", "place"),
    [
        ("nope", "unknown-name", "tiers: nope"),
        ("seagate-cheetah-15k5", "missing-figure", "tiers: seagate-cheetah-15k5"),
        (f'{GOOD}[[tier]]\nname = "b"\ndevice = "nope"\n', "unknown-name", "FILE:5: tier.b.device"),
        (f'{GOOD}[[tier]]\ndevice = {{ name = "nope" }}\n', "unknown-name", "FILE:4: tier.1.device"),
        (
            f'{GOOD}[[tier]]\nname = "b"\ndevice = "seagate-cheetah-15k5"\n',
            "missing-figure",
            "FILE:5: tier.b.device",
        ),
        (
            '[[tier]]\nname = "b"\ndevice = { name = "intel-dc-s3700-800gb", rpm = 7200 }\n',
            "not-applicable",
            "FILE:3: tier.b.device.rpm",
        ),
        (
            f'{GOOD}name = "b"\nraid = {{ level = 10 }}\ngroup = 3\nqueue_depth = 0\n',
            "out-of-range",
            "FILE:6: tier.b",
        ),
        ('[[tiers]]\ndevice = "nope"\n', "wrong-format", "FILE"),
    ],
)
def test_what_is_wrong_with_a_candidate_is_told_where_it_was_given(files, tiers, code, place):
    path = files / "wrong.toml"
    given = tiers
    if "\n" in tiers:
        path.write_text(tiers)
        given = str(path)
    words = ["tier", str(files / "small.toml"), "--no-simulate", "-o", str(files / "out"), "--tiers", given]
    done = runner.invoke(app, words)
    assert done.exception.exit_code == 2
    check(done.exception, code, re.compile("^" + re.escape(place.replace("FILE", str(path)))))


def test_what_is_wrong_in_a_device_file_is_told_there(files):
    (files / "dev.toml").write_text('name = "dev"\nkind = "hdd"\ntitle = "A drive"\ncolour = "red"\n')
    (files / "c.toml").write_text('[[tier]]\ndevice = "dev.toml"\n')
    done = invoke(files, "-o", files / "out", tiers="c.toml")
    assert ("unknown-key", f"{files / 'dev.toml'}:4: colour") in problems(done.exception)


def test_a_drive_without_a_price_of_its_own_has_the_cost_book_s(files):
    names = "hgst-ultrastar-c10k900-900gb,toshiba-mg04sca500e"
    words = ("--objective", "dollars", "--no-simulate", "--years", "3", "--json")
    found = json.loads(invoke(files, "-o", files / "out", *words, tiers=names).stdout)
    assert all(one["usd"] > 0 for one in found["candidates"])
    assert found["dollars"]["years"] == 3 and found["dollars"]["not_included"]
    assert found["chosen"]["predicted"]["total_usd"] > found["chosen"]["predicted"]["usd"]


def test_one_pool_is_needed(files):
    two = SCENARIO + '\n[[array.pool]]\nname = "more"\ndevice = "arrays2002-disk"\ncount = 1\n'
    two += '[[array.volume]]\nname = "w2"\npool = "more"\n'
    (files / "two.toml").write_text(two)
    done = invoke(files, "-o", files / "out", scenario="two.toml")
    check(done.exception, "unsupported", files / "two.toml")


CHUNKLETS = Path(__file__).parents[2] / "examples" / "chunklets.toml"


def test_levels_of_volumes_are_not_dropped_in_silence(tmp_path):
    words = ["tier", str(CHUNKLETS), "--no-simulate", "--json", "-o", str(tmp_path / "out")]
    done = runner.invoke(app, words)
    check(done.exception, "ambiguous", f"{CHUNKLETS}: array.volume.log.raid")
    assert done.exception.exit_code == 2
    assert "`raid`" in done.exception.hint and "`tiers=" in done.exception.hint
    assert not (tmp_path / "out").exists()
    one = '[[tier]]\ndevice = "toshiba-mg04sca500e"\n'
    (tmp_path / "c.toml").write_text(f"{one}raid = {{ level = 6 }}\n{one}")
    again = runner.invoke(app, [*words, "--tiers", str(tmp_path / "c.toml")]).exception
    check(again, "ambiguous", f"{CHUNKLETS}: array.volume.log.raid")
    (tmp_path / "c.toml").write_text(f"{one}raid = {{ level = 6 }}\n")
    done = runner.invoke(app, [*words, "--tiers", str(tmp_path / "c.toml")])
    assert done.exit_code == 0, done.exception
    found = json.loads(done.stdout)
    assert [row["raid_level"] for row in found["candidates"]] == [6]
    left = [note["text"] for note in found["notes"] if note["code"] == "left-out"]
    assert [text.partition(" ")[0] for text in left] == [
        *(
            f"array.pool.disks.{key}"
            for key in ("chunklet", "spares", "sparing", "failure", "rebuild", "scheduler")
        ),
        "array.volume.log.raid",
        "array.volume.db.raid",
    ]


@pytest.mark.parametrize(
    ("raid", "level", "dropped"),
    [
        ("", 5, ["chunklet", "power"]),
        (
            'raid = { level = 6, stripe_unit = "32KiB", set_size = 8 }',
            6,
            ["chunklet", "power", "raid.set_size"],
        ),
    ],
)
def test_tiers_have_the_level_of_a_pool_of_chunklets(files, raid, level, dropped):
    pool = 'raid = { level = 10, stripe_unit = "64KiB" }'
    text = SCENARIO.replace(pool, f'chunklet = "1GiB"\npower = {{ policy = "never" }}\n{raid}')
    assert text != SCENARIO
    (files / "chunks.toml").write_text(text)
    done = invoke(files, "--no-simulate", "--json", "-o", files / "out", scenario="chunks.toml")
    assert done.exit_code == 0, done.exception
    found = json.loads(done.stdout)
    assert {row["raid_level"] for row in found["candidates"]} == {level}
    left = [note["text"] for note in found["notes"] if note["code"] == "left-out"]
    assert [text.partition(" ")[0] for text in left] == [f"array.pool.disks.{key}" for key in dropped]
    assert "set_size" not in (files / "out" / "scenario.toml").read_text()


def test_results_are_never_overwritten_unasked(files):
    words = ("--no-simulate", "-o", files / "out")
    assert invoke(files, *words).exit_code == 0
    again = invoke(files, *words)
    check(again.exception, "exists", files / "out")
    assert invoke(files, *words, "--force").exit_code == 0
    (files / "mine").mkdir()
    (files / "mine" / "letter.txt").write_text("dear")
    other = invoke(files, "--no-simulate", "-o", files / "mine", "--force")
    check(other.exception, "exists", files / "mine")
    assert "`force=True`" in other.exception.hint
    assert (files / "mine" / "letter.txt").exists()
    assert not list(files.glob(".iowatt-partial-*"))


def test_help_names_the_tables_and_what_is_taken_by_default():
    words = " ".join(runner.invoke(app, ["tier", "--help"]).stdout.replace("│", " ").split())
    assert "[[tier]]" in words
    assert "SSD" in words
    kinds = [benchmark.device_figures(name, Path())[0] for name in candidate.DEFAULT]
    assert kinds == ["ssd", "hdd", "hdd"]


def test_candidates_by_default_can_be_simulated():
    assert [one.device.name for _, one in candidate.read_candidates([]).named] == list(candidate.DEFAULT)
