"""The COM tests of a target, one after another."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from iowatt.base.errors import Argument, InputError
from iowatt.base.problems import suggestion
from iowatt.base.results import Note
from iowatt.emerald import rules as rule_profiles
from iowatt.emerald.com import procedures, simulated
from iowatt.emerald.com.dataset import BLOCK, CHUNK, DISTINCT, ZEROS
from iowatt.emerald.com.result import ComTest, ComTests, DataSets, RulesOf
from iowatt.emerald.com.space import CommandSpace, FileSystemSpace, UnsettledError
from iowatt.emerald.com.store import Commands, Patience, opened
from iowatt.emerald.rules import Rules
from iowatt.evaluate.search.folder import write_whole
from iowatt.run import provenance

#: Most that a test holds at a time, in sets.
_ROOM: Final = 3


@dataclass(frozen=True)
class Asked:
    """What to test, and how."""

    target: Path
    rules: str
    only: tuple[str, ...]
    size: int
    seed: int
    raw: int | None
    protected: int | None
    free_command: str | None
    commands: Commands
    patience: Patience


def conduct(asked: Asked, *, output: Path | None, force: bool, progress: Callable[[str], None]) -> ComTests:
    """The result of all tests asked for; written to ``output`` where given.

    Raises
    ------
    InputError
        The target, a command or a name of a test is wrong; the space does not stand still. Nothing is left on
        the target.
    """
    given = rule_profiles.load(asked.rules)
    names = given.names("com.names")
    for name in asked.only:
        if name not in names:
            raise InputError(
                "unknown-name",
                Argument("only"),
                f"there is no COM test {name!r}",
                hint=suggestion(name, list(names), "tests"),
            )
    if output is not None and not output.parent.is_dir():
        raise InputError("not-found", str(output.parent), "there is no such directory")
    if output is not None and output.exists() and not force:
        raise InputError("exists", str(output), "the file exists already", hint="`force=True` replaces it")
    if asked.size < CHUNK:
        raise InputError(
            "out-of-range",
            Argument("size"),
            "sets of less than 1MiB are lost in what a file system keeps for itself; expected 1MiB or more",
        )
    if asked.raw is not None and asked.protected is not None and asked.protected > asked.raw:
        raise InputError(
            "out-of-range",
            Argument("protected"),
            "the protected capacity is more than the raw capacity, which includes it",
            hint="are they swapped?",
        )
    simulation = asked.target.suffix == ".toml"
    if simulation and (asked.raw is not None or asked.protected is not None):
        argument = "raw" if asked.raw is not None else "protected"
        raise InputError("not-applicable", Argument(argument), "a scenario has capacities of its own")
    wanted = [name for name in names if not asked.only or name in asked.only]
    began = provenance.now()
    if simulation:
        found = {one.com: one for one in simulated.tests(asked.target, given, asked.size, asked.seed)}
        results = [found[name] for name in wanted]
    else:
        results = list(_on_storage(asked, given, wanted, progress))
    made = ComTests(
        target=str(asked.target),
        source="simulation" if simulation else "storage",
        started_at=began,
        rules=RulesOf(profile=given.name, version=given.version, sha256=given.sha256),
        sets=DataSets(bytes=asked.size, seed=asked.seed, block_bytes=BLOCK, distinct=DISTINCT, zeros=ZEROS),
        coms=results,
        notes=list(_notes(results, simulation=simulation)),
    )
    if output is not None:
        text = json.dumps(made.as_dict(), indent=2, ensure_ascii=False) + "\n"
        write_whole(output, lambda file: file.write_text(text, "utf-8"))
    return made


def _on_storage(
    asked: Asked, rules: Rules, wanted: list[str], progress: Callable[[str], None]
) -> Iterator[ComTest]:
    space = FileSystemSpace(asked.target) if asked.free_command is None else CommandSpace(asked.free_command)
    for name in wanted:
        progress(name)
        if name == "parity-raid":
            yield procedures.parity_raid(rules, asked.raw, asked.protected)
            continue
        with opened(asked.target, space, asked.commands, asked.patience, needed=_ROOM * asked.size) as store:
            try:
                found = procedures.TESTS[name](store, rules, asked.size, asked.seed)
            except UnsettledError as error:
                # Of this test nothing can be said; the others stand.
                found = ComTest(name, "not tested", error.message)
        yield found


def _notes(results: list[ComTest], *, simulation: bool) -> Iterator[Note]:
    yield Note(code="own-sets", text="the sets are iowatt's own and do not equal those of SNIA's generator")
    if simulation:
        text = "modelled: the methods are those that the scenario says the array has"
        yield Note(code="modelled", text=text)
    doubted = sorted({rule for one in results for rule in one.unverified})
    if doubted:
        text = f"judged with {len(doubted)} unverified rule values: {', '.join(doubted)}"
        yield Note(code="unverified", text=text, decides=True)
