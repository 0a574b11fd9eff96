"""Accounts: a role, a token and public keys. Of a token the database has the SHA-256 alone."""

from __future__ import annotations

import hashlib
import re
import secrets
import sqlite3
from dataclasses import dataclass
from typing import Final

from iowatt.base.errors import Argument, InputError
from iowatt.registry.bundle import public_bytes
from iowatt.registry.store.database import reading, writing
from iowatt.registry.store.registry import RegistryStore
from iowatt.registry.store.states import Role

_TOKEN_BYTES: Final = 32
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_MAIL: Final = re.compile(r"[^\s@<>\",;:\\\x00-\x1f\x7f]{1,64}@[A-Za-z0-9.-]{1,190}")
ACCOUNT_ROLES: Final[tuple[Role, ...]] = ("submitter", "reviewer", "operator")


@dataclass(frozen=True)
class Account:
    """An account."""

    id: int
    name: str
    role: Role
    mail: str | None
    active: bool


def add_account(
    store: RegistryStore, name: str, role: Role, *, mail: str | None = None, actor: str = "operator"
) -> str:
    """Add an account; its token, which is shown this once.

    Raises ``InputError``: name, role or mail is wrong, or the name is taken (``registry`` always is).
    """
    if not _NAME.fullmatch(name) or name == "registry":
        text = "a name has letters, digits, points and dashes, and begins with a letter or digit"
        raise InputError("not-accepted", Argument("name", name[:80]), text)
    if role not in ACCOUNT_ROLES:
        text = f"expected {', '.join(ACCOUNT_ROLES)}"
        raise InputError("not-accepted", Argument("role", role), text)
    if mail is not None and not _MAIL.fullmatch(mail):
        raise InputError("bad-syntax", Argument("mail", mail[:80]), "not a mail address")
    token = secrets.token_urlsafe(_TOKEN_BYTES)
    with writing(store.file) as connection:
        if connection.execute("SELECT 1 FROM accounts WHERE name = ?", (name,)).fetchone():
            raise InputError("exists", Argument("name", name), "there is an account of this name")
        connection.execute(
            "INSERT INTO accounts (name, role, mail, token_sha256, made) VALUES (?, ?, ?, ?, ?)",
            (name, role, mail, _digest(token), store.now),
        )
        store.note(connection, "account-added", actor=actor, role="operator", account=name, as_role=role)
    return token


def renew_token(store: RegistryStore, name: str) -> str:
    """A new token of an account; the old one ends. Raises ``InputError`` where there is no such account."""
    token = secrets.token_urlsafe(_TOKEN_BYTES)
    with writing(store.file) as connection:
        account = _row(connection, name)
        connection.execute(
            "UPDATE accounts SET token_sha256 = ? WHERE id = ?", (_digest(token), account["id"])
        )
        store.note(connection, "token-renewed", actor="operator", role="operator", account=name)
    return token


def close_account(store: RegistryStore, name: str) -> None:
    """Close an account: its token and its keys end, its submissions stay. Raises ``InputError``."""
    with writing(store.file) as connection:
        account = _row(connection, name)
        connection.execute("UPDATE accounts SET active = 0 WHERE id = ?", (account["id"],))
        connection.execute(
            "UPDATE public_keys SET revoked = ? WHERE account = ? AND revoked IS NULL",
            (store.now, account["id"]),
        )
        store.note(connection, "account-closed", actor="operator", role="operator", account=name)


def add_key(store: RegistryStore, account: Account, public_key: str) -> None:
    """Accept bundles that are signed by a key from an account; a key is of one account for good.

    Raises ``InputError``: it is no key, or of another account.
    """
    public_bytes(public_key, "public key")
    with writing(store.file) as connection:
        row = connection.execute(
            "SELECT account, revoked FROM public_keys WHERE public_key = ?", (public_key,)
        ).fetchone()
        if row is not None:
            if row["account"] == account.id and row["revoked"] is None:
                return
            text = (
                "the key was taken back" if row["account"] == account.id else "the key is of another account"
            )
            raise InputError(
                "exists", "public key", text, hint="make another with `iowatt registry key FILE`"
            )
        connection.execute(
            "INSERT INTO public_keys (public_key, account, added) VALUES (?, ?, ?)",
            (public_key, account.id, store.now),
        )
        store.note(
            connection,
            "key-added",
            actor=account.name,
            role=account.role,
            account=account.name,
            key=public_key,
        )


def account_by_token(store: RegistryStore, token: str) -> Account:
    """The account of a token. Raises ``InputError`` where it is of none."""
    with reading(store.file) as connection:
        row = connection.execute(
            "SELECT * FROM accounts WHERE token_sha256 = ? AND active = 1", (_digest(token),)
        ).fetchone()
    if row is None:
        raise InputError("access-denied", "token", "this is not the token of an account")
    return _account(row)


def account_by_name(store: RegistryStore, name: str) -> Account:
    """The account of a name. Raises ``InputError`` where there is none."""
    with reading(store.file) as connection:
        return _account(_row(connection, name))


def all_accounts(store: RegistryStore) -> list[Account]:
    """All accounts by name."""
    with reading(store.file) as connection:
        return [_account(row) for row in connection.execute("SELECT * FROM accounts ORDER BY name")]


def _row(connection: sqlite3.Connection, name: str) -> sqlite3.Row:
    row: sqlite3.Row | None = connection.execute("SELECT * FROM accounts WHERE name = ?", (name,)).fetchone()
    if row is None:
        hint = "`iowatt registry account` lists and adds them"
        raise InputError("unknown-name", Argument("name", name[:80]), "no such account", hint=hint)
    return row


def _account(row: sqlite3.Row) -> Account:
    return Account(row["id"], row["name"], row["role"], row["mail"], bool(row["active"]))


def _digest(token: str) -> str:
    """A token has 256 bits of chance, so that its hash needs no salt and no work factor."""
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


def account_by_key(store: RegistryStore, public_key: str) -> Account:
    """The account of a key that is in force. Raises ``InputError`` where it is of none."""
    with reading(store.file) as connection:
        row = connection.execute(
            "SELECT a.* FROM accounts a JOIN public_keys k ON k.account = a.id "
            "WHERE k.public_key = ? AND k.revoked IS NULL AND a.active = 1",
            (public_key,),
        ).fetchone()
    if row is None:
        hint = "`iowatt registry account REGISTRY NAME --public-key FILE.pub` adds it"
        raise InputError("not-signed", "signature.json", "the key is of no account", hint=hint)
    return _account(row)
