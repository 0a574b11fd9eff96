"""Who asks: the account of the token in ``Authorization: Bearer``."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Depends
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from iowatt.base.errors import InputError
from iowatt.registry.store import (
    Account,
    RegistryStore,
    account_by_token,
)

_BEARER = HTTPBearer(auto_error=False, description="Token of an account.")
_Given = Annotated[HTTPAuthorizationCredentials | None, Depends(_BEARER)]


def optional_account(store: RegistryStore) -> Any:
    """The account of a request, or None where it has no token; a wrong token is refused."""

    def account(given: _Given) -> Account | None:
        return None if given is None else account_by_token(store, given.credentials)

    return Depends(account)


def needed_account(store: RegistryStore) -> Any:
    """The account of a request that needs one."""

    def account(given: _Given) -> Account:
        if given is None:
            hint = "send the token of an account: Authorization: Bearer TOKEN"
            raise InputError("access-denied", "token", "this needs an account", hint=hint)
        return account_by_token(store, given.credentials)

    return Depends(account)
