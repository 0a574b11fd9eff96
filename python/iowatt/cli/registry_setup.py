"""``iowatt registry init``, ``key`` and ``account``: what is made once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from iowatt.cli.options import AsJson, RegistryFolder, parsed
from iowatt.cli.show import show


def register(registry: typer.Typer) -> None:
    """Add the verbs."""
    registry.command("init")(init)
    registry.command("key")(key)
    registry.command("account")(account)


def init(
    folder: RegistryFolder,
    *,
    title: Annotated[
        str, typer.Option("--title", help="Title of its pages.")
    ] = "Storage efficiency registry",
    challenge: Annotated[
        str, typer.Option("--challenge", metavar="TIME", help="How long a result is provisional.")
    ] = "60d",
    as_json: AsJson = False,
) -> None:
    """Create a registry: a folder with a database, the key that signs its log, and settings."""
    from iowatt.base.units import parse_duration
    from iowatt.registry import store, told
    from iowatt.registry.result import RegistryCreated

    parsed(challenge, parse_duration, "challenge")
    made = store.create(folder, title, challenge=challenge)
    found = RegistryCreated(
        folder=str(folder),
        title=title,
        public_key=made.public_key,
        next=[
            f"settings: {folder}/registry.toml (title, address, challenge window, mail)",
            f"a reviewer: iowatt registry account {folder} NAME --role reviewer --mail ADDRESS",
            f"a submitter: iowatt registry account {folder} NAME --role submitter --public-key FILE.pub",
            f"the server: iowatt registry serve {folder}",
        ],
    )
    show(found, told.created, as_json=as_json)


def key(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The private key.", show_default=False)],
    *,
    as_json: AsJson = False,
) -> None:
    """Create a submitter's key pair: FILE, readable only by you, and FILE.pub."""
    from iowatt.registry import told
    from iowatt.registry.bundle import make_key
    from iowatt.registry.result import RegistryKeyPair

    public = make_key(file)
    found = RegistryKeyPair(file=str(file), public_file=f"{file}.pub", public_key=public)
    show(found, told.key_pair, as_json=as_json)


def account(
    folder: RegistryFolder,
    name: Annotated[
        str | None,
        typer.Argument(metavar="[NAME]", help="The account; default: list all.", show_default=False),
    ] = None,
    *,
    role: Annotated[
        Literal["submitter", "reviewer", "operator"] | None,
        typer.Option("--role", help="Add the account with this role.", show_default=False),
    ] = None,
    mail: Annotated[
        str | None,
        typer.Option("--mail", metavar="ADDRESS", help="Mail address of the account.", show_default=False),
    ] = None,
    public_key: Annotated[
        Path | None,
        typer.Option(
            "--public-key", metavar="FILE.pub", help="Accept bundles signed by this key.", show_default=False
        ),
    ] = None,
    new_token: Annotated[
        bool, typer.Option("--new-token", help="Issue a new token and revoke the old one.")
    ] = False,
    close: Annotated[
        bool, typer.Option("--close-account", help="Revoke its token and keys; its submissions stay.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Add or close an account, add a key or a new token, or list all accounts. A token is shown only once."""
    from iowatt.base import input_file
    from iowatt.base.errors import Argument, InputError
    from iowatt.registry import store, told
    from iowatt.registry.result import AccountRow, RegistryAccounts

    opened = store.RegistryStore(folder)
    given = {"role": role, "mail": mail, "public_key": public_key, "new_token": new_token, "close": close}
    if name is None and (asked := next((key for key, value in given.items() if value), None)):
        raise InputError("missing", Argument(asked), "this is done to an account; give its name")
    if mail is not None and role is None:
        raise InputError("not-applicable", Argument("mail"), "goes with `role=ROLE`, which adds the account")
    token = None
    if name is not None:
        if role is not None:
            token = store.add_account(opened, name, role, mail=mail)
        found = store.account_by_name(opened, name)
        if public_key is not None:
            text = input_file.text(public_key, "a public key", 4096).strip()
            store.add_key(opened, found, text)
        if new_token:
            token = store.renew_token(opened, name)
        if close:
            store.close_account(opened, name)
    listed = [
        AccountRow(name=one.name, role=one.role, mail=one.mail, active=one.active)
        for one in store.all_accounts(opened)
        if name in (None, one.name)
    ]
    show(RegistryAccounts(accounts=listed, token=token), told.account_list, as_json=as_json)
