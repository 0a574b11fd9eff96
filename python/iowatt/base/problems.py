"""Problems of an input with their places and fixes: one record per problem, one error for all."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from iowatt.base.errors import InputError

KeyPath = tuple[str | int, ...]


@dataclass(frozen=True)
class Problem:
    """One fault of an input.

    Parameters
    ----------
    code:
        One of ``iowatt.base.errors.CODES``.
    path:
        The key path as TOML has it: names of keys, and indices of list elements.
    message:
        One sentence: what is wrong and what would be accepted.
    hint:
        The fix, where there is one to suggest.
    place:
        File, line and key path for people; filled in by whoever knows the text.
    """

    code: str
    path: KeyPath
    message: str
    hint: str | None = None
    place: str | None = None

    def __str__(self) -> str:
        text = f"{self.place}: {self.message}" if self.place else self.message
        return f"{text}\n  hint: {self.hint}" if self.hint else text


class Reporter:
    """Collects problems at key paths below one: ``report("conflict", "access.extent", message, hint)``."""

    def __init__(self, path: KeyPath = (), problems: list[Problem] | None = None) -> None:
        self.path = path
        self.problems: list[Problem] = [] if problems is None else problems

    def __call__(self, code: str, where: str | KeyPath, message: str, hint: str | None = None) -> None:
        """Keep a problem below the path: at a key path, or at keys and indices with dots between them."""
        self.problems.append(Problem(code, self.at(where).path, message, hint))

    def at(self, where: str | KeyPath) -> Reporter:
        """The same collection, for problems below ``where``."""
        if isinstance(where, str):
            where = tuple(int(step) if step.isdigit() else step for step in where.split(".") if step)
        return Reporter((*self.path, *where), self.problems)


class DocumentError(InputError):
    """An input with one problem or several; ``problems`` has them all, in the order of the text.

    Code, place, message and hint are those of the only problem; several have the code ``several``.
    """

    def __init__(self, problems: Sequence[Problem], source: str) -> None:
        self.problems = tuple(problems)
        if len(self.problems) == 1:
            only = self.problems[0]
            super().__init__(only.code, only.place, only.message, hint=only.hint)
            return
        lines = "\n".join(f"[{problem.code}] {problem}" for problem in self.problems)
        super().__init__("several", source, f"{len(self.problems)} problems\n{lines}")


def nearest(word: str, choices: Iterable[str]) -> str | None:
    """The choice that ``word`` was probably meant to be."""
    found = difflib.get_close_matches(word.lower(), [c.lower() for c in choices], n=1, cutoff=0.6)
    return next((c for c in choices if c.lower() == found[0]), None) if found else None


def suggestion(word: str, choices: Sequence[str], what: str) -> str:
    """``did you mean 'x'?``, or the list of ``choices`` where none is near."""
    near = nearest(word, choices)
    if near is not None:
        return f"did you mean {near!r}?"
    return f"{what}: {', '.join(choices)}" if choices else f"there are no {what}"
