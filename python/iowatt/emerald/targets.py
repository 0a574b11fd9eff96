"""The targets of a plan; an existing one is overwritten only if the user names it twice."""

from __future__ import annotations

import contextlib
import stat
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from iowatt.base.errors import Argument, InputError
from iowatt.emerald.plan import Plan
from iowatt.emerald.plan.load import span
from iowatt.sources import in_use, target


def paths(plan: Plan) -> list[Path]:
    """The targets of a plan that is run on real storage."""
    return _split(plan.target.path or "")


def _split(names: str) -> list[Path]:
    return [Path(name.strip()) for name in names.split(",") if name.strip()]


def _named(plan: Plan) -> list[Path]:
    found = paths(plan)
    if not found:
        text = "the plan has no target"
        raise InputError("missing", "plan: target.path", text, hint="add `target=PATH`")
    return found


def absolute(plan: Plan) -> Plan:
    """The plan with its targets as absolute paths: load generators run in the stage's folder.

    Raises ``InputError`` where it names none.
    """
    names = ",".join(str(path.absolute()) for path in _named(plan))
    return plan.model_copy(update={"target": plan.target.model_copy(update={"path": names})})


class Claim:
    """The targets of a plan, ready and locked."""

    def __init__(self) -> None:
        self.created: list[Path] = []  #: Files that did not exist before.

    def keep(self) -> None:
        """Leave the files that were created: it is on record whose they are."""
        self.created.clear()

    def drop(self) -> None:
        """Remove the files that were created and not kept."""
        for path in self.created:
            path.unlink(missing_ok=True)


@contextlib.contextmanager
def claimed(
    plan: Plan,
    erase: str | None,
    *,
    ours: Sequence[str] = (),
    tell: Callable[[str], None] = lambda _text: None,
) -> Iterator[Claim]:
    """Every target, once it may be overwritten, locked until the end.

    Files that do not exist are created, with their space reserved; they are removed again at the end unless
    :meth:`Claim.keep` was called.

    ``erase``: the targets again, separated by commas.
    ``ours``: files that this measurement has created or was allowed to overwrite before (:func:`identity`).
    ``tell``: called with the content of those that are overwritten.
    Raises ``InputError``: a target must be named twice, is in use, too small, of another kind, or there is no
    space for it.
    """
    claim = Claim()
    with contextlib.ExitStack() as locks:
        locks.callback(claim.drop)
        targets = _checked(plan, erase, ours)
        size = None if plan.target.size_bytes is None else span(plan).bytes_each
        for path in targets:
            own = identity(path) in ours
            _ready(path, size, claim, locks, allowed=erase is not None, own=own)
            if path not in claim.created and not own:
                target.announce_erasing(path, tell)
        yield claim


def refuse_mounted(plan: Plan) -> None:
    """Raise ``InputError`` where a device of a plan has been mounted since it was claimed.

    Those of load hosts are not looked at: their agents hold them.
    """
    for path in [] if plan.hosts else paths(plan):
        if path.is_block_device():
            in_use.refuse(path)


def _checked(plan: Plan, erase: str | None, ours: Sequence[str]) -> list[Path]:
    """The targets. Raises ``InputError`` where plan and ``erase`` contradict each other."""
    targets = _named(plan)
    if erase is not None and [p.absolute() for p in _split(erase)] != [p.absolute() for p in targets]:
        text = f"it names {erase}, and the target is {plan.target.path}"
        raise InputError("conflict", Argument("erase"), text, hint="both must be the same")
    if len({path.resolve() for path in targets}) < len(targets):
        raise InputError("duplicate", "plan: target.path", f"a target is named twice: {plan.target.path}")
    for path in targets:
        if ours and not path.exists():
            text = "the target that was measured on does not exist any more"
            raise InputError("not-found", str(path), text, hint="use `force=True` to restart the measurement")
    return targets


def identity(path: Path) -> str:
    """Device and inode of a file: they stay as long as it is the same file. Empty where it is none."""
    try:
        found = path.stat()
    except OSError:
        return ""
    return f"{found.st_dev}:{found.st_ino}" if stat.S_ISREG(found.st_mode) else ""


def _ready(
    path: Path, size: int | None, claim: Claim, locks: contextlib.ExitStack, *, allowed: bool, own: bool
) -> None:
    kind = target.target_kind(path)
    if kind == "absent":
        if size is None:
            text = "the file does not exist, and the plan does not give its size"
            hint = "give the size to `iowatt emerald plan`: `size=1TiB`"
            raise InputError("not-found", str(path), text, hint=hint)
        target.create_file(path, size, "reserved")
        claim.created.append(path)
        locks.enter_context(target.locked(path))
        return
    if kind == "device" and not allowed:
        raise target.must_be_named_twice(path, "is a block device, and its content would be overwritten")
    if not (allowed or own):
        text = f"exists, and would be overwritten: {target.describe_content(path)}"
        hint = f"name a new file, or allow it to be erased by naming it again: `erase={path}`"
        raise InputError("unsafe-target", str(path), text, hint=hint)
    locks.enter_context(target.locked(path))
    in_use.refuse(path)
    has = target.size_of(path)
    if size is not None and has < size:
        text = f"the target has {has} bytes, fewer than the {size} of the plan"
        raise InputError("out-of-range", str(path), text)
