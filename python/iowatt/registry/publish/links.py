"""Where pages of a registry lead: addresses of a server, or files beside each other."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Protocol
from urllib.parse import urlencode

_STRANGE: Final = re.compile(r"[^a-z0-9]+")


class RegistryLinks(Protocol):
    """Addresses, from the page that holds them."""

    def index(self) -> str:
        """The search page without facets."""

    def families(self) -> str:
        """The page of product families."""

    def facet(self, facets: Mapping[str, str], name: str, value: str | None) -> str:
        """The search page with a facet changed; None takes it away."""

    def result(self, identifier: str) -> str:
        """The page of a result."""

    def downloads(self, identifier: str) -> dict[str, str]:
        """What can be downloaded of a result: addresses by what they are (``bundle``, ``json``)."""


@dataclass(frozen=True)
class ServerLinks:
    """Addresses of `iowatt registry serve`, below ``prefix``."""

    prefix: str = ""

    def index(self) -> str:
        """The search page without facets."""
        return f"{self.prefix}/"

    def families(self) -> str:
        """The page of product families."""
        return f"{self.prefix}/families"

    def facet(self, facets: Mapping[str, str], name: str, value: str | None) -> str:
        """The search page with a facet changed."""
        asked = {key: text for key, text in facets.items() if key != name}
        if value is not None:
            asked[name] = value
        return f"{self.prefix}/?{urlencode(asked)}" if asked else self.index()

    def result(self, identifier: str) -> str:
        """The page of a result."""
        return f"{self.prefix}/results/{identifier}"

    def downloads(self, identifier: str) -> dict[str, str]:
        """Bundle and JSON."""
        base = f"{self.prefix}/api/results/{identifier}"
        return {"bundle": f"{base}/bundle", "json": base}


@dataclass(frozen=True)
class FileLinks:
    """Names of files of a static site; ``up`` leads from the page's folder to that of the index."""

    up: str = ""
    bundles: Mapping[str, str] | None = None  #: SHA-256 by id, where bundles lie beside the pages.

    def index(self) -> str:
        """The page of all results."""
        return f"{self.up}index.html"

    def families(self) -> str:
        """The page of product families."""
        return f"{self.up}families.html"

    def facet(self, facets: Mapping[str, str], name: str, value: str | None) -> str:
        """The page of one facet: files have no combinations."""
        del facets
        return self.index() if value is None else f"{self.up}{facet_file(name, value)}"

    def result(self, identifier: str) -> str:
        """The page of a result."""
        return f"{self.up}results/{identifier}.html"

    def downloads(self, identifier: str) -> dict[str, str]:
        """JSON, and the bundle where it is there."""
        found = {"json": f"{self.up}results/{identifier}.json"}
        if self.bundles is not None and identifier in self.bundles:
            found["bundle"] = f"{self.up}bundles/{self.bundles[identifier]}.zip"
        return found


def facet_file(name: str, value: str) -> str:
    """The file of a facet's page: readable, and distinct for values that read alike."""
    plain = _STRANGE.sub("-", value.lower()).strip("-")[:40] or "value"
    return f"by-{name}-{plain}-{hashlib.sha256(value.encode()).hexdigest()[:6]}.html"
