"""``iowatt choose --init`` writes a question that reads back as it was answered, and names every key."""

from __future__ import annotations

import tomllib

import pytest
from choose_questions import steady

from iowatt.base.keys import catalogue
from iowatt.cli import choose_init
from iowatt.evaluate.choose import choose_request, template
from iowatt.evaluate.choose.load import scaled_workloads
from iowatt.evaluate.choose.question import StorageQuestion
from refused import refused


@pytest.fixture
def answered(tmp_path, monkeypatch):
    """Writes ``question.toml`` with answers to the prompts, in turn; returns what is asked again."""
    monkeypatch.chdir(tmp_path)

    def write(*answers):
        left, again, asked = list(answers), [], []

        def prompt(title, *, default, err):
            assert err  # standard output is for results
            again.extend([title] if title in asked else [])
            asked.append(title)
            return left.pop(0) or default

        monkeypatch.setattr(choose_init.typer, "prompt", prompt)
        monkeypatch.setattr(choose_init.sys.stdin, "isatty", lambda: True, raising=False)
        choose_init.write_question(tmp_path / "asked" / "question.toml", force=False)
        assert not left
        return again

    (tmp_path / "asked").mkdir()
    return write


def test_answers_read_back(answered, tmp_path):
    steady(tmp_path)
    assert answered("50TB", "4", "small.csv", "2.5", "p99", "10ms", "0.2", "1e-6") == []
    read = choose_request(tmp_path / "asked" / "question.toml")
    asked = read.question
    [load] = asked.workload
    assert (asked.name, asked.usable, asked.years) == ("question", 50 * 10**12, 4)
    assert (load.times, load.limits_s) == (2.5, {"p99": 0.01})
    assert (asked.energy.usd_per_kwh, asked.durability.loss_per_year) == (0.2, 1e-6)
    [scaled] = scaled_workloads(
        asked, read.document, read.base
    )  # the trace is found from where the file lies
    assert scaled.rate_iops == pytest.approx(2.5 * 101)


def test_enter_takes_the_defaults(answered, tmp_path):
    """``skew`` has no rate, so that one is asked for."""
    assert answered(*[""] * 9) == []
    read = choose_request(tmp_path / "asked" / "question.toml").question
    expected = choose_request(template.toml(template.example())).question
    assert read == expected


def test_what_is_not_accepted_is_asked_again(answered):
    wrong = answered(
        "100", "50TB", "21", "5", "nowhere", "backup", "", "p9", "p95", "5", "5ms", "", "2", "0.01"
    )
    assert len(wrong) == 6


@pytest.mark.parametrize(
    ("asked", "text", "code"),
    [
        (template.USABLE, "100", "bad-syntax"),
        (template.YEARS, "0", "out-of-range"),
        (template.TIMES, "many", "wrong-type"),
        (template.limit_of("p95"), "5", "bad-syntax"),
        (template.POWER, "-1", "out-of-range"),
        (template.LOSS, "1.5", "out-of-range"),
    ],
)
def test_an_answer_is_held_to_its_keys_rule(asked, text, code):
    with refused(code, ".".join(step for step in asked.path if isinstance(step, str))):
        template.checked(asked, text)


def test_without_a_terminal_a_template_is_written(tmp_path, monkeypatch):
    monkeypatch.setattr(choose_init.sys.stdin, "isatty", lambda: False, raising=False)
    file = tmp_path / "new.toml"
    choose_init.write_question(file, force=False)
    text = file.read_text("utf-8")
    assert template.TEMPLATE in text.splitlines()[0]
    assert choose_request(file).question.name == "new"
    with refused("exists", str(file)):
        choose_init.write_question(file, force=False)
    choose_init.write_question(file, force=True)
    assert file.read_text("utf-8") == text


def test_every_key_is_named_and_what_is_stated_is_its_default():
    text = template.toml(template.example())
    lines = text.splitlines()
    keys = catalogue(StorageQuestion)
    of_tables = ("workload.trace.", "workload.profile.")
    for path in keys:
        name = path.rsplit(".", 1)[-1]
        if not path.startswith(of_tables) and not (keys[path].children and "." not in path):
            assert any(line.startswith((f"{name} =", f"# {name} =")) for line in lines), path
    read, stated = choose_request(text).question, tomllib.loads(text)
    given = template.example()
    for name in set(stated) - set(given):
        assert getattr(read, name) == StorageQuestion.model_fields[name].get_default(
            call_default_factory=True
        ), name
