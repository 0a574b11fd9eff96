"""What the forms send, within limits."""

from __future__ import annotations

from typing import Annotated, Any, Final

from pydantic import Field, StringConstraints

from iowatt.base.errors import InputError
from iowatt.base.results import Result
from iowatt.web.forms.starts import FormStart
from iowatt.web.forms.toml_tree import tree_as_toml
from iowatt.web.forms.tree import checked_tree

_PLAIN: Final = r"^[^\x00-\x1f\x7f]*$"
FolderName = Annotated[str, StringConstraints(max_length=1024, pattern=_PLAIN)]
"""A folder of the workspace, or ``example:`` and one of the shipped examples."""
StartId = Annotated[str, StringConstraints(min_length=1, max_length=1024, pattern=_PLAIN)]
FormText = Annotated[str, StringConstraints(max_length=200_000)]
"""TOML."""
LinkText = Annotated[str, StringConstraints(max_length=16_000)]
"""TOML that fits into an address."""


class FormBody(Result):
    """The fields of a form or the TOML that they make; one of both."""

    #: Keys and values, as in the file.
    fields: dict[str, Any] | None = None
    toml: FormText | None = None
    base: FolderName = ""

    def text(self) -> str:
        """The TOML. Raises ``InputError`` where there is none, or both, or no TOML can say it."""
        if (self.fields is None) == (self.toml is None):
            raise InputError("missing" if self.toml is None else "conflict", None, "give fields or toml")
        if self.toml is not None:
            return refuse_halves(self.toml)
        assert self.fields is not None
        return tree_as_toml(checked_tree(self.fields))


class StartList(Result):
    """Files that a form can begin with."""

    files: list[FormStart] = Field(default_factory=list)


def refuse_halves(text: str) -> str:
    """The text itself. Raises ``InputError`` where it has half of a surrogate pair, which no file holds."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise InputError("bad-syntax", "toml", "the text is not Unicode: half of a surrogate pair") from None
    return text
