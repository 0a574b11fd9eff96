"""``registry.toml``: the operator's settings of a registry."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final, Literal

from iowatt.base.document import TomlDocument, read_text
from iowatt.base.quantity import Duration
from iowatt.base.strict import Strict, key

SETTINGS: Final = "registry.toml"
REGISTRY_SCHEMA: Final = "iowatt.registry/1"
DAY_S: Final = 86_400


class MailKeys(Strict):
    """How mail leaves: as files in a folder, or by SMTP."""

    sender: str = key(
        "Address that mail comes from.", min_length=3, max_length=200, example="registry@example.org"
    )
    folder: str | None = key(
        "Folder for mail as files (.eml), relative to the registry.",
        default=None,
        unset="by SMTP",
        example="mail",
    )
    host: str | None = key("SMTP server.", default=None, unset="as files", example="smtp.example.org")
    port: int = key("Its port.", default=587, ge=1, le=65535, example=587)
    security: Literal["starttls", "tls", "none"] = key("Encryption.", default="starttls", example="starttls")
    user: str | None = key(
        "User of the server.", default=None, unset="no password is sent", example="registry"
    )
    password_file: str | None = key(
        "File with the password, relative to the registry; only its owner may read it.",
        default=None,
        unset="the environment's IOWATT_SMTP_PASSWORD",
        example="smtp-password",
    )


class RegistryKeys(Strict):
    """The settings of a registry."""

    schema_: Literal["iowatt.registry/1"] = key(
        "The version of this format.", default=REGISTRY_SCHEMA, alias="schema", example=REGISTRY_SCHEMA
    )
    title: str = key(
        "Title of its pages.", default="Storage efficiency registry", min_length=1, max_length=200
    )
    url: str | None = key(
        "Its public address; permalinks in mail and in exports begin with it.",
        default=None,
        unset="links are relative",
        example="https://results.example.org",
    )
    challenge: Duration = key(
        "How long a provisional result may be challenged.",
        default=60.0 * DAY_S,
        unit="s",
        gt=0,
        example="60d",
    )
    publish: Literal["registry", "reviewer"] = key(
        "Who publishes what was reproduced as provisional: the registry at once, or a reviewer.",
        default="registry",
        example="registry",
    )
    upload_bytes: int = key("Largest bundle.", default=2 << 30, unit="bytes", ge=1, le=3 << 30)
    analysis_s: float = key("Longest new analysis, of processor time.", default=900.0, unit="s", gt=0)
    mail: MailKeys | None = key("Mail to submitters and reviewers.", default=None, unset="none is sent")


def read(folder: Path) -> RegistryKeys:
    """The settings of a registry; without a file the defaults. Raises ``InputError`` where a key is wrong."""
    file = folder / SETTINGS
    if not file.exists():
        return RegistryKeys()
    return TomlDocument(read_text(file), str(file)).validate(RegistryKeys)


_STARTER: Final = """\
schema = "iowatt.registry/1"
title = "{title}"
# Permalinks in mail and in exports begin with this address.
# url = "https://results.example.org"
# How long a provisional result may be challenged.
challenge = "{challenge}"
# Who publishes what was reproduced: the registry at once, or a reviewer.
publish = "registry"

# Mail as files in mail/; for a server: host, port, security, user and password_file.
[mail]
sender = "registry@localhost"
folder = "mail"
"""


def starter(title: str, challenge: str) -> str:
    """The file that `iowatt registry init` writes."""
    text = _STARTER.replace('"{title}"', json.dumps(title, ensure_ascii=False))
    return text.replace('"{challenge}"', json.dumps(challenge))
