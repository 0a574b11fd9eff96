"""Technologies that a tier may be made of: drives of the library or of a file, RAID level, price."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import Field

from iowatt.base.document import TomlDocument, read_text
from iowatt.base.errors import Argument, InputError
from iowatt.base.problems import DocumentError, KeyPath
from iowatt.base.strict import Name, Strict, key
from iowatt.model.scenario.keys import DeviceChoice, Raid

#: Taken where none are named: one of each kind that the library knows well enough to simulate.
DEFAULT = ("intel-dc-s3700-800gb", "hgst-ultrastar-c10k900-900gb", "toshiba-mg04sca500e")
#: Drives of one RAID group, by level: what drives are bought in.
GROUPS = {0: 1, 1: 2, 4: 5, 5: 5, 6: 8, 10: 2}
MOST = 8
#: The source, in messages, of scenarios that are made to try a candidate.
MADE = "scenario"
#: By one of these keys a file is known as one of a device.
_OF_DEVICES = frozenset(("kind", "title", "based_on"))


class TierCandidate(Strict):
    """A technology that a tier may be made of."""

    name: Name | None = key(
        "Its name in results and as a pool.",
        default=None,
        unset="tier and a number, in the order of the list",
        example="performance",
    )
    device: DeviceChoice = key(
        "The drive, as in `array.pool.device`.", example="hgst-ultrastar-c10k900-900gb"
    )
    raid: Raid | None = key(
        "Striping and redundancy of its pool.",
        default=None,
        unset="that of the scenario's pool",
        example={"level": 10, "stripe_unit": "64KiB"},
    )
    group: int | None = key(
        "Drives are added in multiples of this many.",
        default=None,
        unset="1, 2, 5, 5, 8 and 2 for levels 0, 1, 4, 5, 6 and 10",
        ge=1,
        le=1000,
        example=8,
    )
    price: float | None = key(
        "US dollars for one drive.",
        default=None,
        unset="that of the drive's file",
        gt=0,
        unit="USD",
        example=180,
    )
    queue_depth: int | None = key(
        "Most commands outstanding at a drive, as in `array.pool.queue_depth`.",
        default=None,
        unset="1 for disks, 32 for SSDs",
        ge=1,
        le=2**20,
        example=4,
    )


class Candidates(Strict):
    """A file of candidates."""

    tier: list[TierCandidate] = Field(min_length=1, max_length=MOST, description="Candidates.")


@dataclass(frozen=True)
class CandidateList:
    """Candidates with their names, as they were written."""

    named: Sequence[tuple[str, TierCandidate]]
    #: Folder that their files are relative to.
    base: Path
    raws: Sequence[dict[str, Any]]
    #: The file of candidates; None where ``tiers`` names drives.
    document: TomlDocument | None

    def place(self, number: int, *keys: str | int) -> str:
        """Where the candidate of a number, or a key of it, was given."""
        if self.document is None:
            return Argument("tiers", self.raws[number]["device"])
        return self.document.place(("tier", number, *keys))

    @contextmanager
    def placed(self, number: int) -> Iterator[None]:
        """Errors of a scenario that was made for one candidate, told at the place of the candidate."""
        try:
            yield
        except DocumentError as error:
            if not all((problem.place or "").startswith(f"{MADE}:") for problem in error.problems):
                raise  # of the device's own file
            problems = [replace(one, place=self._place_of(number, one.path)) for one in error.problems]
            raise DocumentError(problems, self.place(number)) from None
        except InputError as error:
            if error.place is not None:
                raise
            where = self.place(number, "device")
            raise InputError(error.code, where, error.message, hint=error.hint) from None

    def _place_of(self, number: int, path: KeyPath) -> str:
        """The place of a key of the made pool; keys that the candidate lacks come from its drive."""
        own = path[3:] if path[:2] == ("array", "pool") else ()
        written = bool(own) and own[0] in self.raws[number]
        return self.place(number, *(own if written else ("device",)))


def read_candidates(given: Sequence[str]) -> CandidateList:
    """Candidates from ``tiers``: names of drives, device files, or one file of candidates.

    Raises ``InputError``: there are none or too many, a name is taken twice, or a file is wrong.
    """
    names = [part.strip() for text in given for part in text.split(",")] or list(DEFAULT)
    if "" in names:
        raise InputError(
            "bad-syntax", Argument("tiers"), "a name is empty", hint="name drives, such as a,b,c"
        )
    document = None
    if len(names) == 1 and names[0].endswith(".toml") and _is_list(Path(names[0])):
        path = Path(names[0])
        document = TomlDocument(read_text(path), str(path))
        listed = document.validate(Candidates).tier
        base, raws = path.parent, document.raw["tier"]
    else:
        raws = [{"device": name} for name in names]
        listed = [TierCandidate(device=DeviceChoice(name=name)) for name in names]
        base = Path()
    if len(listed) > MOST:
        raise InputError(
            "too-large", Argument("tiers"), f"{len(listed)} candidates are too many; the maximum is {MOST}"
        )
    named = [(one.name or f"tier{number}", one) for number, one in enumerate(listed, 1)]
    taken = [name for name, _ in named]
    for name in taken:
        if taken.count(name) > 1:
            message = f"two candidates are named {name!r}"
            raise InputError("duplicate", Argument("tiers"), message, hint="give each its own name")
    return CandidateList(named, base, raws, document)


def _is_list(path: Path) -> bool:
    """Whether a TOML file is one of candidates and not of one device."""
    try:
        found = TomlDocument(read_text(path), str(path)).raw
    except InputError:
        return True  # its problem is told when it is read
    if "tier" in found:
        return True
    if not found.keys() & _OF_DEVICES:
        message = "the file has no candidates, and is not a device file"
        hint = 'give each candidate a table: [[tier]] with device = "..."'
        raise InputError("wrong-format", str(path), message, hint=hint)
    return False
