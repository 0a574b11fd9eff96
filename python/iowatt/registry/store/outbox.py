"""Mail: written into the database with the change that it is about, and sent after it.

A message is a row of the same transaction, so that none is lost and none is of a change that did not happen.
As a file it has the name of its row, so that it is there once however often it is sent; by SMTP a crash
between sending and noting it sends it again, under the same Message-ID.
"""

from __future__ import annotations

import os
import smtplib
import sqlite3
import ssl
import stat
from datetime import datetime
from email.message import EmailMessage
from email.utils import format_datetime
from pathlib import Path
from typing import Final

from iowatt.base import atomic_path
from iowatt.base.errors import InputError
from iowatt.registry.store.database import reading, writing
from iowatt.registry.store.registry import RegistryStore
from iowatt.registry.store.settings import MailKeys

_PASSWORD: Final = "IOWATT_SMTP_PASSWORD"
_WAIT_S: Final = 30.0
_BATCH: Final = 100


def put_mail(
    connection: sqlite3.Connection, now: str, recipients: list[str | None], subject: str, body: str
) -> None:
    """Put a message for each recipient into the outbox."""
    for recipient in dict.fromkeys(recipients):
        if recipient is not None:
            connection.execute(
                "INSERT INTO outbox (recipient, subject, body, made) VALUES (?, ?, ?, ?)",
                (recipient, subject, body, now),
            )


def deliver_mail(store: RegistryStore) -> int:
    """Send what waits; how many messages went out. Two processes do not send at once.

    Raises ``InputError`` where the folder cannot be written or the server refuses; what waits stays.
    """
    mail = store.settings.mail
    if mail is None:
        return 0
    with (store.folder / "mail.lock").open("a") as lock:
        import fcntl

        fcntl.flock(lock, fcntl.LOCK_EX)
        sent = 0
        while rows := _waiting(store):
            for row in rows:
                _send(store, mail, row)
                with writing(store.file) as connection:
                    connection.execute(
                        "UPDATE outbox SET sent = ? WHERE number = ?", (store.now, row["number"])
                    )
                sent += 1
        return sent


def _waiting(store: RegistryStore) -> list[sqlite3.Row]:
    with reading(store.file) as connection:
        return connection.execute(
            "SELECT * FROM outbox WHERE sent IS NULL ORDER BY number LIMIT ?", (_BATCH,)
        ).fetchall()


def _send(store: RegistryStore, mail: MailKeys, row: sqlite3.Row) -> None:
    message = EmailMessage()
    message["From"] = mail.sender
    message["To"] = row["recipient"]
    message["Subject"] = row["subject"]
    message["Date"] = format_datetime(datetime.fromisoformat(row["made"]))
    message["Message-ID"] = (
        f"<{row['number']}.{store.public_key[8:20].replace('/', '_')}@{_domain(mail.sender)}>"
    )
    message.set_content(row["body"])
    if mail.host is None:
        folder = store.folder / (mail.folder or "mail")
        folder.mkdir(parents=True, exist_ok=True)
        data = message.as_bytes()
        atomic_path.write_whole(folder / f"{row['number']:06d}.eml", lambda file: file.write_bytes(data))
        return
    try:
        _by_smtp(store.folder, mail, mail.host, message)
    except (OSError, smtplib.SMTPException) as error:
        hint = "the message stays in the outbox, and is sent with the next change"
        text = f"the server does not take mail: {type(error).__name__}"
        raise InputError("unreachable", f"{mail.host}:{mail.port}", text, hint=hint) from None


def _domain(sender: str) -> str:
    return sender.rpartition("@")[2].strip("<> ") or "localhost"


def _by_smtp(folder: Path, mail: MailKeys, host: str, message: EmailMessage) -> None:
    context = ssl.create_default_context()
    server: smtplib.SMTP = (
        smtplib.SMTP_SSL(host, mail.port, timeout=_WAIT_S, context=context)
        if mail.security == "tls"
        else smtplib.SMTP(host, mail.port, timeout=_WAIT_S)
    )
    with server:
        if mail.security == "starttls":
            server.starttls(context=context)
        if mail.user is not None:
            server.login(mail.user, _password(folder, mail))
        server.send_message(message)


def _password(folder: Path, mail: MailKeys) -> str:
    """The password, from its file or the environment; it is in no message."""
    if mail.password_file is None:
        return os.environ.get(_PASSWORD, "")
    path = folder / mail.password_file
    try:
        if stat.S_IMODE(path.stat().st_mode) & 0o077:
            text = "others may read the password"
            raise InputError("unsafe-target", str(path), text, hint=f"chmod 600 {path}")
        return path.read_text("utf-8").strip()
    except OSError as error:
        raise InputError("unreadable", str(path), f"cannot be read: {error.strerror}") from None
