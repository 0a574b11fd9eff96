"""Names of a package that are imported on first use, where importing all of them would slow a quick verb."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def names_from(package: str, modules: Mapping[str, str]) -> Callable[[str], Any]:
    """Return a package's ``__getattr__``.

    Args:
        package: The package, its ``__name__``.
        modules: Names by the module of the package that has them: ``{"book.find": "find_book"}``; several
            names are separated by spaces. A name that is its module's own gives the module.

    Raises:
        AttributeError: From the function, for a name that is not listed.
    """
    homes = {name: module for module, names in modules.items() for name in names.split()}

    def attribute(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module = import_module(f"{package}.{homes[name]}")
        return module if homes[name] == name else getattr(module, name)

    return attribute
