"""What a registry keeps: accounts, submissions and their states, findings, the signed log, mail.

``states`` decides, ``change`` and ``review`` record; ``receive`` takes a bundle in and ``analyse`` makes its
figures again. ``verification`` checks that everything is as it was signed.
"""

from iowatt.registry.store.accounts import (
    ACCOUNT_ROLES,
    Account,
    account_by_key,
    account_by_name,
    account_by_token,
    add_account,
    add_key,
    all_accounts,
    close_account,
    renew_token,
)
from iowatt.registry.store.analyse import analyse_pending, unpacked
from iowatt.registry.store.changing import ACTION_OF, change
from iowatt.registry.store.creation import OPERATOR, create
from iowatt.registry.store.database import is_registry, reading
from iowatt.registry.store.log import entries as log_entries
from iowatt.registry.store.outbox import deliver_mail
from iowatt.registry.store.receive import accept, upload
from iowatt.registry.store.records import (
    RegistryEntry,
    ReviewFinding,
    SubmissionRecord,
    entry,
    findings,
    found,
    one,
)
from iowatt.registry.store.registry import RegistryStore, identifier, number_of
from iowatt.registry.store.review import (
    SEVERITIES,
    answer_finding,
    close_finding,
    raise_finding,
    reopen_finding,
)
from iowatt.registry.store.settings import RegistryKeys
from iowatt.registry.store.states import (
    ACTIONS,
    LISTED,
    PUBLIC,
    ROLES,
    STATES,
    Action,
    Facts,
    Role,
    State,
    transition,
)
from iowatt.registry.store.verification import RegistryVerification, verify

__all__ = [
    "ACCOUNT_ROLES",
    "ACTIONS",
    "ACTION_OF",
    "LISTED",
    "OPERATOR",
    "PUBLIC",
    "ROLES",
    "SEVERITIES",
    "STATES",
    "Account",
    "Action",
    "Facts",
    "RegistryEntry",
    "RegistryKeys",
    "RegistryStore",
    "RegistryVerification",
    "ReviewFinding",
    "Role",
    "State",
    "SubmissionRecord",
    "accept",
    "account_by_key",
    "account_by_name",
    "account_by_token",
    "add_account",
    "add_key",
    "all_accounts",
    "analyse_pending",
    "answer_finding",
    "change",
    "close_account",
    "close_finding",
    "create",
    "deliver_mail",
    "entry",
    "findings",
    "found",
    "identifier",
    "is_registry",
    "log_entries",
    "number_of",
    "one",
    "raise_finding",
    "reading",
    "renew_token",
    "reopen_finding",
    "transition",
    "unpacked",
    "upload",
    "verify",
]  # fmt: skip
