"""Errors as the command line prints them: with codes, and arguments by the names of their options."""

from __future__ import annotations

import pytest
import typer

from iowatt.base.errors import Argument, InputError
from iowatt.base.problems import DocumentError, Problem
from iowatt.cli.error_text import error_text, options_of
from iowatt.cli.main import app

OPTIONS = {"years": "--years", "set": "--set", "force": "--force", "warm_up": "--warm-up"}


@pytest.mark.parametrize(
    ("place", "shown"),
    [
        (None, ""),
        ("x.toml:12: array.pool", "x.toml:12: array.pool: "),
        (Argument("years"), "--years: "),
        (Argument("warm_up"), "--warm-up: "),
        (Argument("set", "array.pool.count=0"), "--set array.pool.count=0: "),
        (Argument("set", "seed=-1: seed"), "--set seed=-1: seed: "),
        # An argument of the API alone keeps its name.
        (Argument("progress", 3), "progress 3: "),
    ],
)
def test_a_place_is_a_file_or_an_option(place, shown):
    assert error_text(InputError("conflict", place, "no"), OPTIONS) == f"error[conflict]: {shown}no"


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("`years=5`", "--years 5"),
        ("`force=True`", "--force"),
        ("`set=`", "--set"),
        ("`warm_up=10min`/`years=1`", "--warm-up 10min/--years 1"),
        # Quoted as a shell needs it.
        ('`set=arrivals={law="poisson",rate=500}`', "--set 'arrivals={law=\"poisson\",rate=500}'"),
        ("`progress=None`", "`progress=None`"),
        ("`years`", "`years`"),
        ("years=5", "years=5"),
    ],
)
def test_arguments_in_messages_and_hints_are_options(written, shown):
    error = InputError("missing", None, written, hint=written)
    assert error_text(error, OPTIONS) == f"error[missing]: {shown}\n  hint: {shown}"


def test_several_problems_have_a_line_each():
    problems = [
        Problem("unknown-key", ("sed",), "no", hint="`force=True`", place=Argument("set", "sed=1: sed")),
        Problem("missing", ("name",), "nothing", place="x.toml:1: name"),
    ]
    assert error_text(DocumentError(problems, "x.toml"), OPTIONS).splitlines() == [
        "error: x.toml: 2 problems",
        "[unknown-key] --set sed=1: sed: no",
        "  hint: --force",
        "[missing] x.toml:1: name: nothing",
    ]


def test_one_problem_is_the_error():
    only = Problem("missing", (), "nothing", place="x.toml:1")
    text = error_text(DocumentError([only], "x.toml"), OPTIONS)
    assert text == f"error[{only.code}]: {only.place}: {only.message}"


def test_options_are_those_of_the_verb_that_was_called():
    options = options_of(app, ["trace", "generate", "uniform", "--rate", "5"])
    assert options["rate"] == "--rate" and options["set"] == "--set"
    assert "limit" not in options
    assert options_of(app, ["rate", "x.toml"])["within"] == "--within"
    assert "rate" not in options_of(app, [])


def test_an_option_is_known_by_its_long_name_and_by_its_parameter():
    made = typer.Typer()

    @made.command()
    def verb(*, count_of_all: int = typer.Option(1, "-n", "--count")) -> None: ...

    options = options_of(made, ["verb"])
    assert options["count"] == options["count_of_all"] == "--count"
