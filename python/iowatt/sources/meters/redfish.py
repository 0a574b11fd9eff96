"""The power that a management controller reports over Redfish: ``redfish://USER:PASSWORD@HOST/CHASSIS``.

Tried in this order, as DMTF's schemas replaced one another: the chassis' ``EnvironmentMetrics``
(``PowerWatts``), its ``Sensors`` of power, and ``Power`` (deprecated since 2020.4).
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any, Final
from urllib.parse import quote

from iowatt.sources.meters import http, network
from iowatt.sources.meters.address import Address
from iowatt.sources.meters.log.instrument import Instrument, MeterError, Reading

OPTIONS: Final = {
    **http.OPTIONS,
    "via": "environment, sensor or power; what there is, in this order",
    "sensor": "which sensor, by its Id",
    "control": "which member of PowerControl, by its place (0 is the first)",
}
WHY: Final = (
    "a management controller's own sensor: an average over one second to twenty minutes, of unstated accuracy"
)
#: The key of the details for the controller's clock against ours.
CLOCK: Final = "controller's clock"
_WAYS: Final = ("environment", "sensor", "power")
#: Of several sensors of power that of the whole chassis has one of these contexts.
_WHOLE: Final = ("Chassis", "PowerSubsystem")


@dataclass(frozen=True)
class _Way:
    """Where the figure is and how it is taken out of the document."""

    path: str
    property: str
    take: Callable[[Any], Any]
    averaged_s: float | None = None  #: The length of its averages in s, where it is stated.
    sensed_s: float | None = None  #: The time between its readings in s, where it is stated.


class RedfishMeter:
    """A ``Meter``. ``open`` finds the document with the watts; ``read`` gets that one document."""

    def __init__(self, address: Address) -> None:
        self._address = address
        self._http = http.Http(address, (80, 443), "yes")
        self._via = network.word_option(address, "via", ("auto", *_WAYS), "auto")
        self._control = int(network.number_option(address, "control", -1, 0, 1000))
        if "sensor" in address.options and self._via in ("environment", "power"):
            raise address.error("conflict", f"sensor=... needs via=sensor, not via={self._via}")
        self._way: _Way | None = None

    def open(self) -> Instrument:
        """Find the chassis and the watts."""
        self._way = None
        root = _object(self._http.get("/redfish/v1/"), f"{self._http.who}/redfish/v1/")
        offset = self._clock_offset()
        chassis = self._chassis(root)
        way = self._find(chassis)
        self._take(way)
        self._way = way
        details = {
            "address": self._address.public,
            "redfish": str(root.get("RedfishVersion", "")),
            "source": f"{way.path} {way.property}",
            network.AVERAGED: "" if way.averaged_s is None else f"{way.averaged_s:g} s",
            CLOCK: offset,
        }
        model = " ".join(str(chassis[key]) for key in ("Manufacturer", "Model") if chassis.get(key))
        return network.instrument(
            self._address,
            why=WHY,
            model=model or None,
            serial=str(chassis["SerialNumber"]) if chassis.get("SerialNumber") else None,
            sample_interval_s=way.sensed_s,
            details=details,
        )

    def read(self) -> Reading:
        """One sample, at the time when the answer came."""
        if self._way is None:
            self.open()
        assert self._way is not None
        watts = self._take(self._way)
        return Reading(time.time(), {"watts": watts})

    def close(self) -> None:
        """Close the connection."""
        self._http.close()

    def _take(self, way: _Way) -> float:
        place = f"{self._http.who}{way.path}"
        try:
            value = way.take(self._http.get(way.path))
        except (KeyError, IndexError, TypeError):
            raise MeterError("tool-output", place, f"{way.property} is not there any more") from None
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise MeterError("tool-output", place, f"{way.property} is {value!r}, not a number")
        return float(value)

    def _chassis(self, root: dict[str, Any]) -> dict[str, Any]:
        wanted = self._address.path.strip("/")
        collection = _link(root.get("Chassis")) or "/redfish/v1/Chassis"
        if wanted:
            found = self._http.get(f"{collection.rstrip('/')}/{quote(wanted, safe='')}", absent=True)
            if found is not None:
                return _object(found, f"{self._http.who}{collection}")
        members = _object(self._http.get(collection), f"{self._http.who}{collection}").get("Members")
        paths = _links(members)
        if len(paths) == 1 and not wanted:
            return _object(self._http.get(paths[0]), f"{self._http.who}{paths[0]}")
        names = ", ".join(path.rstrip("/").rsplit("/", 1)[-1] for path in paths) or "none"
        problem = f"there is no chassis {wanted!r}" if wanted else "the address names no chassis"
        message = "unknown-name" if wanted or not paths else "ambiguous"
        hint = "write redfish://HOST/CHASSIS"
        raise MeterError(message, self._http.who, f"{problem}; there are: {names}", hint=hint)

    def _find(self, chassis: dict[str, Any]) -> _Way:
        ways = {"environment": self._environment, "sensor": self._sensor, "power": self._power}
        if "sensor" in self._address.options:
            chosen: tuple[str, ...] = ("sensor",)
        elif self._control >= 0:
            chosen = ("power",)
        else:
            chosen = _WAYS if self._via == "auto" else (self._via,)
        for name in chosen:
            way = ways[name](chassis)
            if way is not None:
                return way
        message = f"chassis {chassis.get('Id', '')!r} has no watts by {', '.join(chosen)}"
        raise MeterError("missing-figure", self._http.who, message)

    def _environment(self, chassis: dict[str, Any]) -> _Way | None:
        path = _link(chassis.get("EnvironmentMetrics"))
        document = self._http.get(path, absent=True) if path else None
        if not isinstance(document, dict) or not isinstance(document.get("PowerWatts"), dict):
            return None
        if path is None or document["PowerWatts"].get("Reading") is None:
            return None
        return _Way(path, "PowerWatts.Reading", lambda found: found["PowerWatts"]["Reading"])

    def _sensor(self, chassis: dict[str, Any]) -> _Way | None:
        wanted = self._address.options.get("sensor")
        collection = _link(chassis.get("Sensors"))
        document = self._http.get(collection, absent=True) if collection else None
        members = document.get("Members") if isinstance(document, dict) else None
        paths = _links(members)
        if wanted is not None:
            paths = [path for path in paths if path.rstrip("/").rsplit("/", 1)[-1] == wanted]
        found = {path: sensor for path in paths if _powers(sensor := self._http.get(path, absent=True))}
        if len(found) > 1:
            whole = {
                path: sensor for path, sensor in found.items() if sensor.get("PhysicalContext") in _WHOLE
            }
            if len(whole) != 1:
                names = ", ".join(path.rstrip("/").rsplit("/", 1)[-1] for path in found)
                message = f"several sensors of power, and none of them is that of the whole chassis: {names}"
                hint = "name one: redfish://HOST/CHASSIS?sensor=ID"
                raise MeterError("ambiguous", f"{self._http.who}{collection}", message, hint=hint)
            found = whole
        if not found:
            return None
        path, sensor = next(iter(found.items()))
        averaged, sensed = (_duration(sensor.get(key)) for key in ("AveragingInterval", "SensingInterval"))
        return _Way(path, "Reading", lambda found: found["Reading"], averaged, sensed)

    def _power(self, chassis: dict[str, Any]) -> _Way | None:
        path = _link(chassis.get("Power"))
        document = self._http.get(path, absent=True) if path else None
        controls = document.get("PowerControl") if isinstance(document, dict) else None
        if path is None or not isinstance(controls, list) or not controls:
            return None
        at, place = self._control, f"{self._http.who}{path}"
        if at < 0 and len(controls) > 1:
            names = ", ".join(
                f"{k} ({_object(each, place).get('Name', '')})" for k, each in enumerate(controls)
            )
            message = f"several members of PowerControl: {names}"
            hint = "name one: redfish://HOST/CHASSIS?control=0"
            raise MeterError("ambiguous", f"{self._http.who}{path}", message, hint=hint)
        at = max(at, 0)
        if at >= len(controls) or _object(controls[at], place).get("PowerConsumedWatts") is None:
            return None
        metrics = _object(controls[at], place).get("PowerMetrics")
        minutes = metrics.get("IntervalInMin") if isinstance(metrics, dict) else None
        averaged_s = 60.0 * minutes if isinstance(minutes, int | float) else None
        text = f"PowerControl[{at}].PowerConsumedWatts"
        return _Way(path, text, lambda found: found["PowerControl"][at]["PowerConsumedWatts"], averaged_s)

    def _clock_offset(self) -> str:
        """How far the controller's clock is from ours, to the second, by the header of its answer."""
        try:
            said = parsedate_to_datetime(self._http.date or "").timestamp()
        except (TypeError, ValueError):
            return ""
        return f"{said - time.time():+.0f} s from this host's"


create = RedfishMeter


def _powers(sensor: Any) -> bool:
    return (
        isinstance(sensor, dict)
        and sensor.get("ReadingType") == "Power"
        and sensor.get("Reading") is not None
    )


def _object(document: Any, place: str) -> dict[str, Any]:
    if not isinstance(document, dict):
        raise MeterError("tool-output", place, "the answer is not an object of Redfish")
    return document


def _link(reference: Any) -> str | None:
    """The path of a reference; only paths of the same service."""
    path = reference.get("@odata.id") if isinstance(reference, dict) else None
    return path if isinstance(path, str) and path.startswith("/") and not path.startswith("//") else None


def _links(members: Any) -> list[str]:
    return [path for member in members or [] if (path := _link(member))] if isinstance(members, list) else []


def _duration(text: Any) -> float | None:
    """Seconds of an ISO 8601 duration of minutes and seconds, as sensors have it (``PT20S``)."""
    match = re.fullmatch(r"PT(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?", text) if isinstance(text, str) else None
    return 60.0 * float(match[1] or 0) + float(match[2] or 0) or None if match else None
