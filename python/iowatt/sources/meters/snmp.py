"""A power distribution unit, UPS or sensor over SNMP: ``snmp://HOST/PROFILE/INDEX?community=public``.

Which object says watts is a profile's business (``snmp_profiles``); any other numeric object can be named by
its OID. Versions 1, 2c and 3 (``pysnmp``).
"""

from __future__ import annotations

import asyncio
import math
import re
import time
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any, Final

from iowatt.sources.meters import network
from iowatt.sources.meters.address import Address
from iowatt.sources.meters.log.instrument import QUANTITIES, Instrument, MeterError, Reading
from iowatt.sources.meters.snmp_profiles import (
    ENTITY_SENSOR,
    ENTITY_TYPES,
    PROFILES,
    SnmpProfile,
    entity_power,
)

WHY: Final = (
    "a power distribution unit or UPS: its accuracy and the span of its averages are unstated over SNMP, "
    "and it is no analyser of the accepted lists"
)
OPTIONS: Final = {
    "timeout": "seconds to wait for an answer before asking again, 0.1 to 60 (default 1)",
    "retries": "how often to ask again, 0 to 10 (default 1)",
    "version": "1, 2c (default) or 3",
    "community": "of versions 1 and 2c (default public)",
    "quantity": "what an object named by its OID is (default watts)",
    "scale": "of an object named by its OID: watts for a count of one (default 1)",
    "context": "context name of version 3",
    "auth": "of version 3: md5, sha (default), sha224, sha256, sha384, sha512",
    "auth-key": "passphrase of version 3, or env:NAME",
    "priv": "of version 3: des, aes128 (default), aes192, aes256",
    "priv-key": "passphrase of version 3, or env:NAME",
}
_PORT: Final = 161
_TIMEOUT_S: Final = 1.0
_OID: Final = re.compile(r"\.?\d+(\.\d+)+")
_SYSTEM: Final = "1.3.6.1.2.1.1.1.0"
_AUTH: Final = {
    "md5": "usmHMACMD5AuthProtocol",
    "sha": "usmHMACSHAAuthProtocol",
    "sha224": "usmHMAC128SHA224AuthProtocol",
    "sha256": "usmHMAC192SHA256AuthProtocol",
    "sha384": "usmHMAC256SHA384AuthProtocol",
    "sha512": "usmHMAC384SHA512AuthProtocol",
}
_PRIV: Final = {
    "des": "usmDESPrivProtocol",
    "aes128": "usmAesCfb128Protocol",
    "aes192": "usmAesCfb192Protocol",
    "aes256": "usmAesCfb256Protocol",
}


@dataclass(frozen=True)
class _Object:
    """An object to read: its OID, and what a count of one means."""

    quantity: str
    oid: str
    scale: Decimal
    valid: str | None = None  #: An object that is 1 while the value may be used.


class SnmpMeter:
    """A ``Meter``. ``open`` finds out which objects there are; ``read`` gets them all in one request."""

    def __init__(self, address: Address) -> None:
        self._address = address
        self._who = f"snmp://{network.endpoint(address, _PORT)}"
        self._version = network.word_option(address, "version", ("1", "2c", "3"), "2c")
        self._profile, self._index = _profile(address)
        self._session: _Session | None = None
        self._objects: list[_Object] = []

    def open(self) -> Instrument:
        """Find the objects; ``MeterError`` where nothing answers or none of them says watts."""
        self.close()
        self._session = _Session(self._address, self._who, self._version)
        try:
            return self._identify()
        except MeterError:
            self.close()
            raise

    def read(self) -> Reading:
        """Get all objects in one request."""
        if self._session is None or not self._objects:
            self.open()
        quantities = {}
        valid = [wanted.valid for wanted in self._objects if wanted.valid is not None]
        answers = self._get([*(wanted.oid for wanted in self._objects), *valid])
        now = time.time()
        for wanted in self._objects:
            if wanted.valid is not None and _text(answers.get(wanted.valid)) != "1":
                if wanted.quantity in ("watts", self._objects[0].quantity):
                    raise MeterError(
                        "missing-figure", self._who, f"the device marks {wanted.oid} as not valid now"
                    )
                continue
            value = answers.get(wanted.oid)
            if value is None:
                raise MeterError("unknown-name", self._who, f"object {wanted.oid} is not there any more")
            quantities[wanted.quantity] = float(self._number(wanted.oid, value) * wanted.scale)
        return Reading(now, quantities)

    def close(self) -> None:
        """Close the socket; may be called twice."""
        session, self._session = self._session, None
        if session is not None:
            session.close()

    def _get(self, oids: list[str]) -> dict[str, Any]:
        if self._session is None:
            raise MeterError("unreachable", self._who, "not open")
        try:
            if self._version == "1":  # one absent object would make a whole request of version 1 fail
                return {oid: value for each in oids for oid, value in self._session.get([each]).items()}
            return self._session.get(oids)
        except MeterError:
            raise
        except Exception as error:  # pysnmp raises its own, asyncio's, and those of the socket
            self.close()
            raise MeterError("unreachable", self._who, str(error) or type(error).__name__) from error

    def _identify(self) -> Instrument:
        profile, index = self._profile, self._index
        if index == "auto":
            profile = self._search()
            index = profile.index or ""
        if profile is not None:
            self._objects = self._resolve(profile, index)
            what, mib, note = profile.what, profile.mib, profile.note
        elif index.startswith("entity:"):
            self._objects = [self._entity(index.partition(":")[2])]
            what, mib, note = "a sensor", "ENTITY-SENSOR-MIB (RFC 3433) entPhySensorValue", ""
        else:
            self._objects = [self._own(index)]
            what, mib, note = "an object named by its OID", index, ""
        names = {"description": _SYSTEM}
        if profile is not None and profile.model:
            names["model"] = profile.model.format(index=index)
        if profile is not None and profile.serial:
            names["serial"] = profile.serial.format(index=index)
        answers = self._get(list(names.values()))
        said = {name: _text(answers.get(oid)) for name, oid in names.items()}
        details = {
            "address": self._address.public,
            "device": what,
            "mib": mib,
            "version": self._version,
            "description": said["description"] or "",
        }
        return network.instrument(
            self._address,
            why=f"{WHY}; {note}" if note else WHY,
            model=said.get("model") or said["description"],
            serial=said.get("serial"),
            details=details,
        )

    def _search(self) -> SnmpProfile:
        """The one profile that the device answers to."""
        candidates = {
            name: profile.points["watts"].oid.format(index=profile.index)
            for name, profile in PROFILES.items()
            if profile.index is not None
        }
        answers = self._get(list(candidates.values()))
        found = [name for name, oid in candidates.items() if _reads(answers.get(oid))]
        if len(found) == 1:
            return PROFILES[found[0]]
        if found:
            message = f"several profiles give watts: {', '.join(found)}"
            raise MeterError("ambiguous", self._who, message, hint=f"name one: {self._who}/{found[0]}")
        message = f"none of the profiles {', '.join(candidates)} gives watts"
        hint = "name the object by its OID, with scale=WATTS-PER-COUNT: snmp://HOST/1.3.6.1..."
        raise MeterError("missing-figure", self._who, message, hint=hint)

    def _resolve(self, profile: SnmpProfile, index: str) -> list[_Object]:
        """The objects of a profile that the device has; watts must be among them."""

        def named(text: str | None) -> str | None:
            return text.format(index=index) if text is not None else None

        points = {
            name: (point, point.oid.format(index=index), named(point.digits), named(point.valid))
            for name, point in profile.points.items()
        }
        asked = [oid for _, *oids in points.values() for oid in oids if oid is not None]
        answers = self._get(list(dict.fromkeys(asked)))
        objects = []
        for name, (point, oid, digits, valid) in points.items():
            decimals = answers.get(digits) if digits is not None else None
            if not _reads(answers.get(oid)) or (digits is not None and decimals is None):
                continue
            places = self._number(digits, decimals) if digits is not None else 0
            scale = Decimal(str(point.scale)).scaleb(-int(places))
            objects.append(_Object(name, oid, scale, valid if valid in answers else None))
        if not any(wanted.quantity == "watts" for wanted in objects):
            message = f"there are no watts at {points['watts'][1]} ({profile.mib})"
            hint = "try another index or profile (docs/reference/meters.md)"
            raise MeterError("missing-figure", self._who, message, hint=hint)
        return objects

    def _own(self, oid: str) -> _Object:
        quantity = network.word_option(self._address, "quantity", QUANTITIES, "watts")
        scale = network.number_option(self._address, "scale", 1.0, -1e12, 1e12)
        wanted = _Object(quantity, oid, Decimal(str(scale)))
        answers = self._get([wanted.oid])
        if wanted.oid not in answers:
            raise MeterError("unknown-name", self._who, f"there is no object {wanted.oid}")
        self._number(wanted.oid, answers[wanted.oid])
        return wanted

    def _entity(self, index: str) -> _Object:
        columns = [f"{ENTITY_SENSOR}.{column}.{index}" for column in (1, 2, 3, 4, 5)]
        answers = self._get(columns)
        if len(answers) < len(columns):
            raise MeterError(
                "unknown-name", self._who, f"there is no sensor {index} in its ENTITY-SENSOR-MIB"
            )
        kind, scale, precision, _, status = (int(self._number(oid, answers[oid])) for oid in columns)
        quantity = ENTITY_TYPES.get(kind)
        if quantity is None:
            raise MeterError(
                "not-applicable", self._who, f"sensor {index} measures none of {', '.join(QUANTITIES)}"
            )
        if status != 1:
            message = f"sensor {index} is out of order (entPhySensorOperStatus {status})"
            raise MeterError("missing-figure", self._who, message)
        power = entity_power(scale, precision)
        return _Object(quantity, columns[3], Decimal(1).scaleb(power), columns[4])

    def _number(self, oid: str, value: Any) -> Decimal:
        text = _text(value) or ""
        try:
            number = Decimal(text)
        except InvalidOperation:
            number = Decimal("NaN")
        if not number.is_finite():
            raise MeterError("tool-output", self._who, f"object {oid} is {text!r}, not a number")
        return number


create = SnmpMeter


class _Session:
    """pysnmp on a separate event loop, so that a meter can be read from any thread."""

    def __init__(self, address: Address, who: str, version: str) -> None:
        try:
            from pysnmp.hlapi.v3arch import asyncio as hlapi
        except ImportError:
            raise network.missing_package(address, "pysnmp") from None
        self._hlapi: Any = hlapi
        self._who = who
        self._credentials = self._login(address, version)
        self._context = hlapi.ContextData(contextName=address.options.get("context", "").encode())
        self._endpoint = (network.host(address), address.port or _PORT)
        self._limits: dict[str, Any] = {
            "timeout": network.timeout_s(address, _TIMEOUT_S),
            "retries": int(network.number_option(address, "retries", 1, 0, 10)),
        }
        self._target: Any = None
        self._loop = asyncio.new_event_loop()
        self._engine = hlapi.SnmpEngine()

    def get(self, oids: list[str]) -> dict[str, Any]:
        """The objects that are there, by OID."""
        return self._loop.run_until_complete(self._fetch(oids))

    def close(self) -> None:
        """Let go of the socket and the loop; never raises."""
        with suppress(Exception):
            self._loop.run_until_complete(self._end())
        self._loop.close()

    async def _end(self) -> None:
        self._engine.close_dispatcher()
        pending = asyncio.all_tasks() - {asyncio.current_task()}
        for task in pending:
            task.cancel()
        await asyncio.gather(*pending, return_exceptions=True)

    async def _fetch(self, oids: list[str]) -> dict[str, Any]:
        hlapi = self._hlapi
        if self._target is None:
            make = hlapi.Udp6TransportTarget if ":" in self._endpoint[0] else hlapi.UdpTransportTarget
            self._target = await make.create(self._endpoint, **self._limits)
        asked = [hlapi.ObjectType(hlapi.ObjectIdentity(oid)) for oid in oids]
        failure, status, _, bindings = await hlapi.get_cmd(
            self._engine, self._credentials, self._target, self._context, *asked, lookupMib=False
        )
        if failure:
            raise MeterError("unreachable", self._who, str(failure))
        if int(status) == 2:  # noSuchName: how version 1 says that an object is not there
            return {}
        if status:
            raise MeterError("tool-failed", self._who, f"it answers {status.prettyPrint()}")
        return {str(name): value for name, value in bindings if not _absent(value)}

    def _login(self, address: Address, version: str) -> Any:
        hlapi = self._hlapi
        if version != "3":
            community = network.secret(address, address.options.get("community", "public"))
            return hlapi.CommunityData(community, mpModel=0 if version == "1" else 1)
        user = network.secret(address, address.user)
        if not user:
            raise address.error("missing", "version=3 needs a user", "write snmp://USER@HOST...")
        keys: dict[str, Any] = {}
        for kind, table in (("auth", _AUTH), ("priv", _PRIV)):
            key = network.secret(address, address.options.get(f"{kind}-key"))
            if key is None:
                continue
            named = network.word_option(address, kind, table, "sha" if kind == "auth" else "aes128")
            keys[f"{kind}Key"] = key
            keys[f"{kind}Protocol"] = getattr(hlapi, table[named])
        if "privKey" in keys and "authKey" not in keys:
            raise address.error("missing", "priv-key needs auth-key too")
        return hlapi.UsmUserData(user, **keys)


def _profile(address: Address) -> tuple[SnmpProfile | None, str]:
    """The profile and the index that the path names; an index of ``auto`` is found when it is opened."""
    first, _, rest = address.path.partition("/")
    own = {"scale", "quantity"} & set(address.options)
    if _OID.fullmatch(address.path):
        return None, address.path.lstrip(".")
    if own:
        raise address.error(
            "not-applicable", f"{', '.join(sorted(own))}: only for an object that is named by its OID"
        )
    if first == "entity-sensor":
        if not re.fullmatch(r"\d+", rest):
            message = "write snmp://HOST/entity-sensor/ENTPHYSICALINDEX"
            raise address.error("bad-syntax", "the address has no sensor", message)
        return None, f"entity:{rest}"
    if not first:
        return None, "auto"
    profile = PROFILES.get(first)
    if profile is None:
        raise address.error(
            "unknown-name",
            f"{first!r} is neither an OID nor a profile; profiles are {', '.join(PROFILES)}, entity-sensor",
        )
    index = rest or profile.index
    if index is None or not re.fullmatch(r"\d+(\.\d+)*", index):
        raise address.error(
            "missing" if index is None else "bad-syntax",
            f"{first} needs an index: {profile.what}",
            f"write snmp://HOST/{first}/INDEX, such as 1 or 1.2",
        )
    return profile, index


def _absent(value: Any) -> bool:
    """Whether it is one of noSuchObject, noSuchInstance, endOfMibView, or nothing at all."""
    return type(value).__name__ in {"NoSuchObject", "NoSuchInstance", "EndOfMibView", "Null"}


def _reads(value: Any) -> bool:
    """Whether it is a number, and not the -1 of an object that the unit does not support."""
    try:
        return math.isfinite(number := float(_text(value) or "")) and number != -1
    except ValueError:
        return False


def _text(value: Any) -> str | None:
    if value is None:
        return None
    text = bytes(value).decode(errors="replace") if hasattr(value, "asOctets") else value.prettyPrint()
    return str(text).strip().strip("\0") or None
