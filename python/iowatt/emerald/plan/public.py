"""A plan as it may be given away: no passwords and keys in the addresses of its instruments."""

from __future__ import annotations

from iowatt.emerald.plan.model import Plan
from iowatt.sources.meters.address import SECRETS, parse


def without_secrets(plan: Plan) -> Plan:
    """The plan with the public form of addresses that hold a secret; others stay as they were written."""
    instruments = [one.model_copy(update={"source": public_source(one.source)}) for one in plan.instruments]
    return plan.model_copy(update={"instruments": instruments})


def public_source(source: str) -> str:
    """An address without its password and keys. Raises ``InputError`` where it is no address."""
    address = parse(source)
    secret = address.password is not None or SECRETS & address.options.keys()
    return address.public if secret else source
