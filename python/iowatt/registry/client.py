"""A registry at an address: the API of `iowatt registry serve`, by HTTPS."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar
from urllib.parse import urlsplit

from pydantic import ValidationError

from iowatt.base.errors import InputError
from iowatt.base.extras import extra
from iowatt.base.results import ResultDocument
from iowatt.registry.publish import RegistrySearch
from iowatt.registry.store import Action, RegistryEntry, number_of

if TYPE_CHECKING:
    import httpx

_WAIT_S: Final = 60.0
_ASK_S: Final = 1.0
_LONGEST_S: Final = 2 * 3600.0
_CHUNK: Final = 1 << 20
_Document = TypeVar("_Document", bound=ResultDocument)
_HERE: Final = ("localhost", "127.0.0.1", "::1")


class RemoteRegistry:
    """A registry at an address; ``token`` is that of an account, for what changes something.

    Raises ``InputError``: a package is missing, or the token would go over a network in clear.
    """

    def __init__(self, url: str, token: str | None) -> None:
        self._url = url.rstrip("/")
        self._host = urlsplit(url).hostname or url
        if token is not None and url.startswith("http://") and self._host not in _HERE:
            text = "the token would go over the network in clear"
            raise InputError("unsafe-target", self._url, text, hint="give an address with https://")
        self._headers = {} if token is None else {"Authorization": f"Bearer {token}"}

    def submit(self, bundle: Path) -> RegistryEntry:
        """Upload a bundle and wait until it was analysed. Raises ``InputError`` where it is refused."""
        headers = {"Content-Type": "application/zip", "Content-Length": str(bundle.stat().st_size)}
        answer = self._ask("POST", "/api/bundles", content=_pieces(bundle), headers=headers)
        found = _entry(answer)
        until = time.monotonic() + _LONGEST_S
        while found.submission.analysis == "pending" and time.monotonic() < until:
            time.sleep(_ASK_S)
            found = self.entry(found.submission.id)
        return found

    def entry(self, identifier: str) -> RegistryEntry:
        """A submission with its findings. Raises ``InputError`` where there is none to see."""
        return _entry(self._ask("GET", f"/api/results/{_checked(identifier)}"))

    def search(self, facets: Mapping[str, str], sort: str | None) -> RegistrySearch:
        """What has all these facets. Raises ``InputError`` as the search does."""
        asked = {**facets, **({} if sort is None else {"sort": sort})}
        return _parsed(RegistrySearch, self._ask("GET", "/api/results", params=asked))

    def change(self, identifier: str, action: Action, reason: str, by: str | None) -> RegistryEntry:
        """Change the state of a submission. Raises ``InputError`` where that may not be."""
        path = f"/api/submissions/{_checked(identifier)}/{action}"
        body = {"reason": reason, **({} if by is None else {"by": by})}
        return _entry(self._ask("POST", path, json=body))

    def raise_finding(self, identifier: str, code: str, severity: str, text: str) -> RegistryEntry:
        """Raise a finding. Raises ``InputError`` where that may not be."""
        path = f"/api/submissions/{_checked(identifier)}/findings"
        return _entry(self._ask("POST", path, json={"code": code, "severity": severity, "text": text}))

    def move_finding(self, identifier: str, finding: int, move: str, text: str) -> RegistryEntry:
        """Answer, close or reopen a finding. Raises ``InputError`` where that may not be."""
        path = f"/api/submissions/{_checked(identifier)}/findings/{finding}/{move}"
        return _entry(self._ask("POST", path, json={"text": text}))

    def _ask(self, method: str, path: str, **request: Any) -> Any:
        httpx = _httpx()
        headers = {**self._headers, **request.pop("headers", {})}
        try:
            # A redirect would take the token elsewhere.
            with httpx.Client(timeout=_WAIT_S, follow_redirects=False) as client:
                answer = client.request(method, f"{self._url}{path}", headers=headers, **request)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            text = f"the registry does not answer: {type(error).__name__}"
            raise InputError("unreachable", self._url, text) from None
        return self._answered(answer)

    def _answered(self, answer: httpx.Response) -> Any:
        try:
            body = answer.json()
            if answer.is_success:
                return body
            error = body["error"]
            raise InputError(error["code"], error["place"], error["message"], hint=error["hint"])
        except (ValueError, KeyError, TypeError):
            text = f"the answer ({answer.status_code}) is not one of a registry"
            raise InputError("tool-output", self._url, text) from None


def _httpx() -> Any:
    with extra("serve", "a registry at an address"):
        import httpx
    return httpx


def _pieces(bundle: Path) -> Iterator[bytes]:
    with bundle.open("rb") as file:
        while chunk := file.read(_CHUNK):
            yield chunk


def _checked(identifier: str) -> str:
    """An id, which becomes part of an address."""
    number_of(identifier)
    return identifier


def _entry(body: Any) -> RegistryEntry:
    return _parsed(RegistryEntry, body)


def _parsed(model: type[_Document], body: Any) -> _Document:
    try:
        return model.model_validate(body)
    except ValidationError as error:
        text = f"the answer is not one of this version: {error.errors()[0]['msg']}"
        raise InputError("tool-output", "registry", text, hint="use the version of iowatt it has") from None
