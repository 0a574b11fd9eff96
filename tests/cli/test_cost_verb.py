"""``iowatt cost`` as a user calls it, on Runs of the shipped example."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from typer.testing import CliRunner

import iowatt
from iowatt.base.errors import InputError
from iowatt.cli.main import app
from iowatt.lenses.cost import Cost
from iowatt.pages import cost as pages
from iowatt.render import terminal
from refused import faults

EXAMPLE = Path(__file__).parents[2] / "examples" / "hybrid.toml"
SHORT = "workload.online.profile.requests=4000"
CACHING = (
    "array.virtual_pool.hybrid.scheme=caching",
    "array.virtual_pool.hybrid.slow.capacity=1GiB",
)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    folder = tmp_path_factory.mktemp("runs")
    iowatt.run(EXAMPLE, set=[SHORT], output=folder / "tiering")
    iowatt.run(EXAMPLE, set=[SHORT, *CACHING], output=folder / "caching")
    return [str(folder / "tiering"), str(folder / "caching")]


def cost(*arguments: str) -> Any:
    return CliRunner().invoke(app, ["cost", *arguments])


#: Along a figure rather than along time, which the default does too and which takes the longest.
QUICK = ("--crossover", "cooling.pue")


def found(*arguments: str, crossovers: tuple[str, ...] = QUICK) -> dict[str, Any]:
    result = cost(*arguments, "--json", "--samples", "0", *crossovers)
    assert result.exit_code == 0, result.output
    return dict(json.loads(result.stdout))


def test_several_runs_are_priced_side_by_side(runs: list[str]) -> None:
    result = found(*runs, "--alpha", "1000", "--tariff", "flat:0.2,10", crossovers=())
    tiering, caching = result["systems"]
    assert (tiering["name"], caching["name"]) == ("tiering", "caching")
    assert tiering["repeats"] == 1000
    assert tiering["usd"] == pytest.approx(sum(one["usd"] for one in tiering["components"]))
    kwh = sum(one["quantity"] for one in tiering["components"] if one["key"] == "energy")
    assert kwh * 3.6e6 == pytest.approx(1000 * tiering["work"]["energy_j"], rel=1e-12)
    assert result["comparison"][0]["usd"] == pytest.approx(caching["usd"] - tiering["usd"])
    assert result["other"]["horizon"]["basis"] == "time"
    assert result["other"]["systems"][1]["years"] == pytest.approx(tiering["years"])
    assert [one["of"] for one in result["crossovers"]] == ["alpha", "energy.factor"]
    assert result["modelled"] is True


def test_equal_work_that_takes_too_long_has_no_dollars_and_refuses_nothing(runs: list[str]) -> None:
    """180 years of tiering's work take caching, a sixth slower, longer than bills are made of."""
    result = found(*runs, "--years", "180", "--tariff", "flat:0.2")
    tiering, caching = result["other"]["systems"]
    assert tiering["usd"] > 0
    assert caching["years"] > 200
    assert caching["usd"] is None
    console = Console(file=StringIO())
    terminal.show(pages.document(Cost.model_validate(result)), console=console)
    assert "tiering" in console.file.getvalue(), "and the text can be written too"


def test_the_index_beside_runs_is_not_taken_for_one(runs: list[str]) -> None:
    beside = sorted(str(path) for path in Path(runs[0]).parent.iterdir())
    assert len(beside) > len(runs)
    assert [one["name"] for one in found(*beside, "--alpha", "2")["systems"]] == ["caching", "tiering"]


def test_the_caching_one_buys_more_disk_where_used_gigabytes_are_charged(runs: list[str]) -> None:
    result = found(*runs, "--preset", "dollars2014", "--alpha", "1", "--tariff", "flat:0.2")
    tiering, caching = result["systems"]
    assert caching["by_group"]["purchase"] > tiering["by_group"]["purchase"]
    texts = [note["text"] for note in result["book"]["notes"] if note["code"] == "book"]
    assert any({"purchase", "wear", "twice"} <= set(text.split()) for text in texts)


def test_every_assumption_that_a_component_rests_on_is_named(runs: list[str]) -> None:
    result = found(*runs, "--years", "3")
    named = {one["key"] for one in result["assumptions"]}
    for system in result["systems"]:
        for one in system["components"]:
            assert set(one["rests_on"]) <= named, one["key"]
            assert one["source"]


def test_what_is_asked_last_is_named_too(runs: list[str]) -> None:
    alone = found(runs[0], "--assume", "discount.rate=0.08")
    assert "discount.rate" in {one["key"] for one in alone["assumptions"]}
    assert alone["systems"][0]["present_usd"] < alone["systems"][0]["usd"]


@pytest.mark.parametrize("charge", ["replacements", "paper", "none", "depreciation"])
def test_drives_are_replaced_only_where_replacements_are_paid(runs: list[str], charge: str) -> None:
    charged = found(runs[0], "--years", "12", "--wear", charge)
    bought = any(one["replacements"] for one in charged["systems"][0]["drives"])
    assert bought == (charge == "replacements")
    if bought:
        assert found(runs[0], "--years", "12")["systems"] == charged["systems"], "the default"


def test_a_tariff_may_be_an_assumption(runs: list[str]) -> None:
    by_set = found(*runs, "--assume", "energy.tariff=flat:0.15")
    assert by_set["systems"] == found(*runs, "--tariff", "flat:0.15")["systems"]


def test_what_is_set_in_vain_is_said(runs: list[str]) -> None:
    result = found(*runs, "--assume", "purchase.model.typo=7", "--assume", "cooling.pue=1.2")
    (said,) = result["book"]["cautions"]
    assert (said["code"], said["decides"]) == ("set-without-effect", True)
    assert said["text"].endswith(": purchase.model.typo")
    assert said["text"] in cost(*runs, "--samples", "0", "--assume", "purchase.model.typo=7").stdout


def test_caveats_that_do_not_decide_are_printed_on_request(runs: list[str]) -> None:
    asked = (*runs, "--samples", "0", *QUICK)
    notes = found(*asked[:-2])["systems"][0]["notes"]
    short, long = cost(*asked).stdout, cost(*asked, "--notes").stdout
    assert notes and all(note["text"] in long and note["text"] not in short for note in notes)


def test_a_page_and_a_workbook_are_written_and_not_overwritten(runs: list[str], tmp_path: Path) -> None:
    for name in ("cost.html", "cost.xlsx"):
        target = tmp_path / name
        assert cost(*runs, "--samples", "20", *QUICK, "-o", str(target)).exit_code == 0
        before = target.read_bytes()
        again = cost(*runs, "--samples", "0", "-o", str(target))
        assert isinstance(again.exception, InputError)
        assert target.read_bytes() == before


def test_the_same_seed_gives_the_same_document(runs: list[str]) -> None:
    asked = (*runs, "--samples", "20", *QUICK, "--tariff", "flat:0.2,10", "--json")
    first = cost(*asked)
    assert first.exit_code == 0
    assert first.stdout == cost(*asked).stdout
    document = json.loads(first.stdout)
    assert document["uncertainty"]["samples"] == 20
    assert document["crossovers"][0]["pairs"][0]["range"]["draws"] == 20
    other = json.loads(cost(*asked, "--seed", "2").stdout)
    assert other["uncertainty"] != document["uncertainty"]


def test_from_python_it_is_the_same(runs: list[str]) -> None:
    run = iowatt.open_run(runs[0])
    by_path = iowatt.cost(runs[0], alpha=10, samples=0, assume={"cooling.pue": 1.2})
    assert iowatt.cost(run, alpha=10, samples=0, assume=["cooling.pue=1.2"]) == by_path


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        (["--alpha", "2", "--years", "3"], "conflict @ years"),
        (["--alpha", "0.5"], "out-of-range @ alpha"),
        (["--years", "nan"], "out-of-range @ years"),
        (["--years", "5e-324"], "out-of-range @ years"),
        (["--preset", "nowhere"], "unknown-name @ preset"),
        (["--assume", "cooling.pue=0.5"], "out-of-range @ assume=cooling.pue"),
        (["--assume", "coling.pue=1.5"], "unknown-name @ assume=coling.pue"),
        (["--wear", "twice"], "not-accepted @ assume=wear.charge"),
        (["--carbon", "guess"], "unknown-name @ carbon.estimate"),
        (["--first-day", "tomorrow"], "bad-syntax @ start"),
        (["--first-day", "0001-01-01"], "out-of-range @ start"),
        (["--crossover", "nothing", "--samples", "0"], "unknown-name @ crossover=nothing"),
        (["--alpha", "1e12"], "out-of-range"),
        (["-o", "cost.docx"], "not-accepted @ cost.docx"),
    ],
)
def test_what_cannot_be_asked_is_said(runs: list[str], arguments: list[str], fault: str) -> None:
    assert faults(cost(*runs, *arguments).exception) == fault


def test_a_tariff_that_is_not_there_is_refused(runs: list[str]) -> None:
    result = cost(*runs, "--tariff", "nowhere")
    assert isinstance(result.exception, InputError) and "nowhere" in str(result.exception)


def test_no_run_is_refused_and_the_assumptions_can_be_listed_without_one() -> None:
    assert isinstance(cost().exception, InputError)
    listed = cost("--list-assumptions", "--preset", "dollars2014", "--assume", "service.once=40")
    assert listed.exit_code == 0
    assert "wear.charge" in listed.stdout
    assert "service.once = 40" in listed.stdout


def test_assumptions_are_listed_as_json_with_what_options_change() -> None:
    listed = cost(
        "--list-assumptions", "--json", "--wear", "none", "--carbon", "act", "--assume", "cooling.pue=1.2"
    )
    assert listed.exit_code == 0, listed.output
    document = json.loads(listed.stdout)
    assert (document["schema"], document["name"]) == ("iowatt.cost-assumptions/1", "default")
    values = {one["key"]: one["value"] for one in document["assumptions"]}
    assert (values["wear.charge"], values["carbon.estimate"], values["cooling.pue"]) == ("none", "act", 1.2)
    assert "wear.charge = none" in cost("--list-assumptions", "--wear", "none").stdout
    assert isinstance(cost("--list-assumptions", "--wear", "never").exception, InputError)
