"""What is measured is written over: nothing that exists is, unless it was named twice."""

from __future__ import annotations

import contextlib
import stat
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from iowatt.base.errors import Argument, InputError
from iowatt.emerald.plan.model import Plan
from iowatt.emerald.plan.workloads import span
from iowatt.sources import in_use, target


def paths(plan: Plan) -> list[Path]:
    """The targets of a plan that is run on real storage."""
    named = plan.target.path
    return [Path(name.strip()) for name in named.split(",") if name.strip()] if named else []


def _named(plan: Plan) -> list[Path]:
    found = paths(plan)
    if not found:
        raise InputError(
            "missing", "plan: target.path", "the plan names no target", hint="name one: `target=PATH`"
        )
    return found


def absolute(plan: Plan) -> Plan:
    """The plan with its targets as absolute paths: load generators run in the stage's folder.

    Raises ``InputError`` where it names none.
    """
    named = ",".join(str(path.absolute()) for path in _named(plan))
    return plan.model_copy(update={"target": plan.target.model_copy(update={"path": named})})


def named_twice(plan: Plan, erase: str | None) -> bool:
    """Whether ``erase`` names the targets of a plan again."""
    if erase is None:
        return False
    again = [Path(name.strip()) for name in erase.split(",") if name.strip()]
    return [p.absolute() for p in again] == [p.absolute() for p in paths(plan)]


class Claim:
    """The targets of a plan, ready and locked."""

    def __init__(self) -> None:
        self._made: list[Path] = []

    def made(self, path: Path) -> None:
        """Take note of a file that did not exist before."""
        self._made.append(path)

    def __contains__(self, path: Path) -> bool:
        return path in self._made

    def keep(self) -> None:
        """Leave the files that were made: somebody has written down whose they are."""
        self._made.clear()

    def drop(self) -> None:
        """Remove the files that were made and nobody keeps."""
        for path in self._made:
            path.unlink(missing_ok=True)


@contextlib.contextmanager
def claimed(
    plan: Plan,
    erase: str | None,
    *,
    ours: Sequence[str] = (),
    tell: Callable[[str], None] = lambda _text: None,
) -> Iterator[Claim]:
    """Every target, once it may be written to, locked until the end.

    Files that do not exist are made, with their space reserved; they are removed again at the end unless
    :meth:`Claim.keep` was called.

    Parameters
    ----------
    erase:
        The targets once more, separated by commas.
    ours:
        Files that this measurement has made or was allowed to overwrite before (:func:`identity`).
    tell:
        Told what is on those that are written over.

    Raises
    ------
    InputError
        A target must be named twice, is in use, too small, something else, or finds no room.
    """
    claim = Claim()
    with contextlib.ExitStack() as locks:
        locks.callback(claim.drop)
        for path, each in _checked(plan, erase, ours):
            own = identity(path) in ours
            _ready(path, each, claim, locks, allowed=erase is not None, ours=own)
            if path not in claim and not own:
                target.announce_erasing(path, tell)
        yield claim


def refuse_mounted(plan: Plan) -> None:
    """Raise ``InputError`` where a device of a plan has been mounted since it was claimed."""
    for path in paths(plan):
        if path.is_block_device():
            in_use.refuse(path)


def _checked(plan: Plan, erase: str | None, ours: Sequence[str]) -> list[tuple[Path, int | None]]:
    """The targets with the bytes that each must have, once what is said of them goes together."""
    found = _named(plan)
    if erase is not None and not named_twice(plan, erase):
        raise InputError(
            "conflict",
            Argument("erase"),
            f"it names {erase}, and the target is {plan.target.path}",
            hint="both must be the same",
        )
    each = None if plan.target.size_bytes is None else span(plan).bytes_each
    resolved = [path.resolve() for path in found]
    if len(set(resolved)) < len(resolved):
        raise InputError("duplicate", "plan: target.path", f"a target is named twice: {plan.target.path}")
    for path in found:
        if ours and not path.exists():
            raise InputError(
                "not-found",
                str(path),
                "the target that was measured on does not exist any more",
                hint="`force=True` begins the measurement again",
            )
    return [(path, each) for path in found]


def identity(path: Path) -> str:
    """What stays the same as long as it is the same file: "" where it is none or a device."""
    try:
        found = path.stat()
    except OSError:
        return ""
    return f"{found.st_dev}:{found.st_ino}" if stat.S_ISREG(found.st_mode) else ""


def _ready(
    path: Path, size: int | None, claim: Claim, locks: contextlib.ExitStack, *, allowed: bool, ours: bool
) -> None:
    found = target.target_kind(path)
    if found == "absent":
        if size is None:
            raise InputError(
                "not-found",
                str(path),
                "the file does not exist, and the plan does not say how large to make it",
                hint="give the size to `iowatt emerald plan`: `size=1TiB`",
            )
        target.create_file(path, size, "reserved")
        claim.made(path)
        locks.enter_context(target.locked(path))
        return
    if found == "device":
        if not allowed:
            raise target.must_be_named_twice(
                path, "is a block device, and what is on it would be overwritten"
            )
    elif not (allowed or ours):
        raise InputError(
            "unsafe-target",
            str(path),
            f"exists, and would be overwritten: {target.describe_content(path)}",
            hint=f"name a new file, or allow it to be erased by naming it again: `erase={path}`",
        )
    locks.enter_context(target.locked(path))
    in_use.refuse(path)
    has = target.size_of(path)
    if size is not None and has < size:
        raise InputError(
            "out-of-range", str(path), f"the target has {has} bytes, fewer than the {size} of the plan"
        )
