"""JSON over HTTP from an instrument: one client, errors in its terms, a new connection after a broken one."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from typing import Any, Final

from iowatt.sources.meters import network
from iowatt.sources.meters.address import Address
from iowatt.sources.meters.log.instrument import MeterError

#: The options of what is read over HTTP.
OPTIONS: Final = {
    **network.COMMON,
    "tls": "yes, no, or insecure: encrypted, without a check of the certificate",
    "ca": "file with the certificate of the authority that signed the instrument's",
}
_LARGEST: Final = 8 << 20


class RefusedError(MeterError):
    """The service answers with an error of HTTP, ``status``."""

    def __init__(self, place: str, message: str, status: int) -> None:
        self.status = status
        super().__init__("tool-failed", place, message)


class Http:
    """A service; ``tls`` is what the option says where the address does not."""

    def __init__(self, address: Address, port: tuple[int, int], tls: str) -> None:
        self._address = address
        mode = network.word_option(address, "tls", ("yes", "no", "insecure"), tls)
        #: Where it is, without what is secret.
        self.who = f"http{'' if mode == 'no' else 's'}://{network.endpoint(address, port[mode != 'no'])}"
        self._mode = mode
        self._timeout_s = network.timeout_s(address)
        self._client: Any = None

    def get(self, path: str, query: Mapping[str, str] | None = None, absent: bool = False) -> Any:
        """The JSON document at a path; ``None`` where ``absent`` is allowed and there is none.

        Raises ``MeterError``.
        """
        client = self._connected()
        import httpx

        where = f"{self.who}{path}"
        end = time.monotonic() + 2 * self._timeout_s  # httpx limits each part of an exchange, not the whole
        try:
            with client.stream("GET", path, params=query) as answer:
                self.date = answer.headers.get("date")
                body = b""
                for chunk in answer.iter_bytes():
                    body += chunk
                    if time.monotonic() > end:
                        raise MeterError("unreachable", where, "the answer takes too long")
                    if len(body) > _LARGEST:
                        raise MeterError(
                            "too-large", where, f"the answer is longer than {_LARGEST >> 20} MiB"
                        )
        except httpx.HTTPError as error:
            self.close()
            raise MeterError("unreachable", where, str(error) or type(error).__name__) from error
        except (OSError, ValueError) as error:
            self.close()
            raise MeterError("unreachable", where, str(error)) from error
        if answer.status_code == 404 and absent:
            return None
        try:
            document = json.loads(body)
        except RecursionError:
            raise MeterError("too-large", where, "the answer is JSON that is nested too deeply") from None
        except ValueError:
            document = None
        if answer.status_code in (401, 403):
            message = "the service refuses the user or password"
            hint = f"write {self._address.scheme}://USER:PASSWORD@..."
            raise MeterError("access-denied", where, message, hint=hint)
        if answer.status_code != 200:
            message = f"HTTP {answer.status_code} {answer.reason_phrase}{_said(document)}"
            raise RefusedError(where, message, status=answer.status_code)
        if document is None:
            raise MeterError("tool-output", where, "the answer is not JSON")
        return document

    date: str | None = None  #: The header ``Date`` of the last answer.

    def close(self) -> None:
        """Close the connections; never raises, may be called twice."""
        client, self._client = self._client, None
        if client is not None:
            client.close()

    def _connected(self) -> Any:
        if self._client is None:
            try:
                import httpx
            except ImportError:
                raise network.missing_package(self._address, "httpx") from None
            user = network.secret(self._address, self._address.user)
            password = network.secret(self._address, self._address.password)
            self._client = httpx.Client(
                base_url=self.who,
                auth=None if user is None else (user, password or ""),
                timeout=self._timeout_s,
                verify=self._verification(),
                follow_redirects=True,  # some controllers insist on a slash at the end
                max_redirects=3,
                trust_env=False,  # an instrument stands in the same room, not behind a proxy
            )
        return self._client

    def _verification(self) -> Any:
        import ssl

        if self._mode == "insecure":
            return False
        file = self._address.options.get("ca")
        if file is None:
            return True
        try:
            return ssl.create_default_context(cafile=file)
        except (OSError, ssl.SSLError) as error:
            raise self._address.error("wrong-format", f"ca={file!r} holds no certificate: {error}") from None


def _said(document: Any) -> str:
    """What the service says of an error (Prometheus, Redfish), in brief."""
    if not isinstance(document, dict):
        return ""
    error = document.get("error")
    text = error.get("message") if isinstance(error, dict) else error
    return f": {str(text)[:300]}" if text else ""
