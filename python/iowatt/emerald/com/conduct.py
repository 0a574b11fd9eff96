"""The COM tests of a target, one after another."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from iowatt.base.atomic_path import write_whole
from iowatt.base.errors import Argument, InputError
from iowatt.base.problems import suggestion
from iowatt.base.results import Note
from iowatt.emerald.com import procedures, simulated
from iowatt.emerald.com.dataset import BLOCK, CHUNK, DISTINCT, ZEROS
from iowatt.emerald.com.repeat import MOST_TRIES, repeated
from iowatt.emerald.com.result import ComTest, ComTests, DataSets, RulesVersion
from iowatt.emerald.com.storage import (
    Commands,
    CommandSpace,
    FileSystemSpace,
    Patience,
    UnsettledError,
    opened,
)
from iowatt.emerald.rules import Rules, load
from iowatt.run import provenance

_ROOM: Final = 3  #: Most that a test holds at a time, in sets.


@dataclass(frozen=True)
class ComRequest:
    """What to test, and how; sizes in bytes."""

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
    tries: int = MOST_TRIES  #: How often a test is repeated at most.


def run_tests(
    request: ComRequest, *, output: Path | None, force: bool, progress: Callable[[str], None]
) -> ComTests:
    """The result of the tests; written to ``output`` where one is given.

    Raises ``InputError``: the target, a command or a name of a test is wrong; the tests do not fit. Nothing
    is left on the target.
    """
    rules = load(request.rules)
    names = rules.names("com.names")
    for name in request.only:
        if name not in names:
            hint = suggestion(name, list(names), "tests")
            raise InputError("unknown-name", Argument("only"), f"there is no COM test {name!r}", hint=hint)
    if output is not None and not output.parent.is_dir():
        raise InputError("not-found", str(output.parent), "no such directory")
    if output is not None and output.exists() and not force:
        raise InputError(
            "exists", str(output), "the file already exists", hint="use `force=True` to overwrite it"
        )
    if request.size < CHUNK:
        text = "sets under 1MiB are lost in a file system's own data; expected 1MiB or more"
        raise InputError("out-of-range", Argument("data_size"), text)
    if request.raw is not None and request.protected is not None and request.protected > request.raw:
        text = "the protected capacity is more than the raw capacity, which includes it"
        raise InputError("out-of-range", Argument("protected"), text, hint="are they swapped?")
    simulation = request.target.suffix == ".toml"
    if simulation and (request.raw is not None or request.protected is not None):
        argument = "raw" if request.raw is not None else "protected"
        raise InputError("not-applicable", Argument(argument), "a scenario has its own capacities")
    wanted = [name for name in names if not request.only or name in request.only]
    began = provenance.now()
    if simulation:
        found = {one.com: one for one in simulated.tests(request.target, rules, request.size, request.seed)}
        results = [found[name] for name in wanted]
    else:
        results = list(_on_storage(request, rules, wanted, progress))
    result = ComTests(
        target=str(request.target),
        source="simulation" if simulation else "storage",
        started_at=began,
        rules=RulesVersion(profile=rules.name, version=rules.version, sha256=rules.sha256),
        sets=DataSets(
            bytes=request.size, seed=request.seed, block_bytes=BLOCK, distinct=DISTINCT, zeros=ZEROS
        ),
        coms=results,
        notes=list(_notes(results, simulation=simulation)),
    )
    if output is not None:
        write_whole(output, lambda file: file.write_text(result.json_text(), "utf-8"))
    return result


def _on_storage(
    request: ComRequest, rules: Rules, wanted: list[str], progress: Callable[[str], None]
) -> Iterator[ComTest]:
    space = (
        FileSystemSpace(request.target)
        if request.free_command is None
        else CommandSpace(request.free_command)
    )
    for name in wanted:
        progress(name)
        if name == "parity-raid":
            yield procedures.parity_raid(rules, request.raw, request.protected)
            continue

        def one_try(number: int, name: str = name) -> ComTest:
            with opened(
                request.target, space, request.commands, request.patience, needed=_ROOM * request.size
            ) as store:
                try:
                    # Data of its own: storage may still know that of the try before. A test takes two seeds.
                    return procedures.TESTS[name](store, rules, request.size, request.seed + 2 * number)
                except UnsettledError as error:
                    # The other tests stay valid.
                    return ComTest(name, "not tested", error.message)

        yield repeated(one_try, request.tries)


def _notes(results: list[ComTest], *, simulation: bool) -> Iterator[Note]:
    yield Note(code="own-sets", text="the sets are iowatt's own and do not equal those of SNIA's generator")
    if simulation:
        text = "modelled: the methods are those that the scenario says the array has"
        yield Note(code="modelled", text=text)
    doubted = sorted({rule for one in results for rule in one.unverified})
    if doubted:
        text = f"judged with {len(doubted)} unverified rule values: {', '.join(doubted)}"
        yield Note(code="unverified", text=text, decides=True)
