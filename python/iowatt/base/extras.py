"""Packages that only some users need: installed with an extra, such as ``iowatt[serve]``."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from iowatt.base.errors import InputError


@contextmanager
def extra(name: str, user: str) -> Iterator[None]:
    """Import packages of the extra ``name`` inside; ``user`` says who needs them, such as "the server".

    Raises ``InputError`` (``tool-missing``) where one is not installed.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package in ("", "iowatt"):
            raise
        message = f"{user} needs the Python package {package}"
        raise InputError("tool-missing", None, message, hint=f"pip install 'iowatt[{name}]'") from None
