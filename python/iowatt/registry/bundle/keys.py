"""Key pairs of submitters and of the registry: Ed25519 (RFC 8032), by the cryptography package.

A private key is a PEM file (PKCS #8) that only its owner may read; it is never printed. A public key is
written ``ed25519:`` and 32 bytes in base 64.
"""

from __future__ import annotations

import base64
import binascii
import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Final

from iowatt.base.errors import InputError
from iowatt.base.extras import extra

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

_PREFIX: Final = "ed25519:"
_KEY_BYTES: Final = 32
_PEM_BYTES: Final = 4096


def make_key(path: Path) -> str:
    """Make a key pair: the private key in ``path``, the public one in ``path.pub``. Returns the public one.

    Raises ``InputError``: the file exists, or cannot be written.
    """
    private_class = _private_class()
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

    private = private_class.generate()
    pem = private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(pem)
            file.flush()
            os.fsync(file.fileno())
    except FileExistsError:
        hint = "use it, or choose another file"
        raise InputError("exists", str(path), "a key is never overwritten", hint=hint) from None
    except OSError as error:
        raise InputError("unwritable", str(path), f"cannot be written: {error.strerror}") from None
    public = public_text(private)
    path.with_name(f"{path.name}.pub").write_text(f"{public}\n", "utf-8")
    return public


class SigningKey:
    """A private key that was read from a file.

    Raises ``InputError``: there is no such file, others may read it, or it is no Ed25519 key.
    """

    def __init__(self, path: Path) -> None:
        self._private = _read(path)

    @property
    def public(self) -> str:
        """Its public key as text."""
        return public_text(self._private)

    def sign(self, message: bytes) -> str:
        """The signature of a message, in base 64."""
        return base64.b64encode(self._private.sign(message)).decode()


def verify(public: str, signature: str, message: bytes, place: str) -> None:
    """Raise ``InputError`` where ``signature`` is not the one of ``message`` by the key ``public``."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    key, signed = public_bytes(public, place), _decoded(signature)
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signed or b"", message)
    except (InvalidSignature, ValueError):
        text = "the signature is not that of this content by this key"
        raise InputError("not-signed", place, text, hint="make and sign it again") from None


def public_bytes(public: str, place: str) -> bytes:
    """The 32 bytes of a public key. Raises ``InputError`` where the text is none."""
    found = _decoded(public.removeprefix(_PREFIX)) if public.startswith(_PREFIX) else None
    if found is None or len(found) != _KEY_BYTES:
        raise InputError("bad-syntax", place, "expected a public key: ed25519: and 32 bytes in base 64")
    return found


def public_text(private: Ed25519PrivateKey) -> str:
    """The public key of a private one as text."""
    return _PREFIX + base64.b64encode(private.public_key().public_bytes_raw()).decode()


def _decoded(text: str) -> bytes | None:
    """Bytes of base 64; None where the text is none, or not the one that the bytes have."""
    try:
        found = base64.b64decode(text.encode("ascii"), validate=True)
    except (binascii.Error, UnicodeEncodeError):
        return None
    return found if base64.b64encode(found).decode() == text else None


def _read(path: Path) -> Ed25519PrivateKey:
    private_class = _private_class()
    try:
        with path.open("rb") as file:
            mode = os.fstat(file.fileno()).st_mode
            pem = file.read(_PEM_BYTES)
    except OSError as error:
        code = "not-found" if isinstance(error, FileNotFoundError) else "unreadable"
        hint = f"create one with `iowatt registry key {path}`"
        raise InputError(code, str(path), f"cannot be read: {error.strerror}", hint=hint) from None
    if stat.S_IMODE(mode) & 0o077:
        text = "others may read or change the private key"
        raise InputError("unsafe-target", str(path), text, hint=f"chmod 600 {path}")
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    try:
        key = load_pem_private_key(pem, None)
    except Exception:  # whatever the library says of a damaged file, without quoting it
        key = None
    if not isinstance(key, private_class):
        raise InputError("wrong-format", str(path), "this is not a private Ed25519 key in PEM")
    return key


def _private_class() -> type[Ed25519PrivateKey]:
    with extra("serve", "a signature"):
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    return Ed25519PrivateKey
