"""A flag of the command line is declared once, or means the same wherever it is declared."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

import iowatt.cli
from iowatt.cli import verbs

AGAIN = {
    *("--append", "--block", "--columns", "--device", "--drive", "--interval", "--limit", "--minimize"),
    *("--outstanding", "--place", "--rate", "--requests", "--samples", "--scenario", "--seed", "--set"),
    *("--size", "--streams", "--strict", "--target", "--trace", "--years"),
}
"""Flags that are still declared more than once with another meaning. The list only gets shorter."""


def declarations():
    """Each flag with the texts of its declarations: metavar and help, by file."""
    found = defaultdict(set)
    for file in sorted(Path(iowatt.cli.__file__).parent.glob("*.py")):
        tree = ast.parse(file.read_text("utf-8"))
        parameters = {
            id(part): argument.arg
            for argument in ast.walk(tree)
            if isinstance(argument, ast.arg) and argument.annotation is not None
            for part in ast.walk(argument.annotation)
        }
        for call in ast.walk(tree):
            if not isinstance(call, ast.Call) or ast.unparse(call.func) != "typer.Option":
                continue
            names = [ast.literal_eval(one) for one in call.args]
            flag = next((one for one in names if one.startswith("--")), None)
            flag = flag or "--" + parameters.get(id(call), f"unnamed-{file.name}-{call.lineno}").rstrip(
                "_"
            ).replace("_", "-")
            said = {key.arg: ast.unparse(key.value) for key in call.keywords}
            found[flag].add((file.name, said.get("metavar"), said.get("help")))
    return found


def test_no_flag_is_declared_again_with_another_meaning():
    found = declarations()
    assert len(found) > 150, "the declarations were not found"
    again = {flag for flag, places in found.items() if len({place[1:] for place in places}) > 1}
    assert again == AGAIN


def test_a_flag_has_one_short_form_and_a_short_form_one_flag():
    short = defaultdict(set)

    def look(command):
        for option in command.params:
            if option.param_type_name == "option":
                letters = {one for one in option.opts if not one.startswith("--")}
                words = {one for one in option.opts if one.startswith("--")}
                for letter in letters:
                    short[letter] |= words
        for below in getattr(command, "commands", {}).values():
            look(below)

    for name in verbs.VERBS:
        look(verbs.load(name))
    assert {letter: words for letter, words in short.items() if len(words) > 1} == {}
