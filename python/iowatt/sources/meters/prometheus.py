"""A time series of Prometheus: ``prometheus://HOST/METRIC``, or any expression as the option ``query``.

Of a plain series the samples themselves are taken, each with the time of its scrape, and nothing where there
is none: asked the ordinary way, Prometheus repeats a sample for up to five minutes after the series has gone,
which would fill gaps silently. An expression has no samples: it is evaluated, and marked as such.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

import numpy as np

from iowatt.sources.meters import http, network
from iowatt.sources.meters.address import Address
from iowatt.sources.meters.log.checks import sample_interval
from iowatt.sources.meters.log.instrument import (
    QUANTITIES,
    Instrument,
    InstrumentLog,
    LogProblem,
    MeterError,
    Reading,
)

OPTIONS: Final = {
    **http.OPTIONS,
    "query": "series or expression in PromQL, instead of a metric behind the host",
    "prefix": "path in front of /api/v1, where it is not at the root",
    "quantity": "what it is (default watts)",
    "scale": "watts for a value of one (default 1; 1e-6 where the series is in microwatts)",
    "max-age": "seconds that a sample may be old (default 15)",
}
WHY: Final = "a time series does not say what measured, nor over how long it averaged"
#: What its samples are: those of a series, or values of an expression.
AS_SCRAPED: Final = "as scraped"
EVALUATED: Final = "an expression, evaluated"
_PORT: Final = 9090
_MAX_AGE_S: Final = 15.0
_BAD_DATA: Final = 400
#: Points of an expression in one request; Prometheus refuses more than 11,000.
_POINTS: Final = 10_000
#: Samples of a series are fetched this many seconds at a time.
_CHUNK_S: Final = 3600.0
#: Where no target says how often it is scraped, the stamps of so many s do.
_LOOK_BACK_S: Final = 300
_UNITS: Final = {"ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0}


class PrometheusMeter:
    """A ``Meter``, and with ``history`` a log of what Prometheus has kept."""

    def __init__(self, address: Address) -> None:
        self._address = address
        query = address.options.get("query", "")
        metric = address.path.strip("/")
        if bool(query) == bool(metric):
            raise address.error(
                "conflict" if query else "missing",
                "an address names one series, by a metric or by query=...",
                "write prometheus://HOST/METRIC or prometheus://HOST?query=...",
            )
        #: The expression, as it is asked.
        self.query = query or metric
        self._quantity = network.word_option(address, "quantity", QUANTITIES, "watts")
        self._scale = network.number_option(address, "scale", 1.0, -1e12, 1e12)
        self._max_age_s = network.number_option(address, "max-age", _MAX_AGE_S, 0.1, 3600.0)
        self._prefix = address.options.get("prefix", "").strip("/")
        self._http = http.Http(address, (_PORT, _PORT), "no")
        #: Whether it is a plain series, whose samples can be had; None before it is known.
        self._plain: bool | None = None

    def open(self) -> Instrument:
        """Find out whether it is one series, and with a sample of late."""
        self._plain = None
        build = self._ask("/status/buildinfo", {})
        _, _, labels = self._latest()
        details = {
            "address": self._address.public,
            "query": self.query,
            "series": " ".join(f"{name}={value}" for name, value in sorted(labels.items())),
            "samples": AS_SCRAPED if self._plain else EVALUATED,
            "prometheus": str(build.get("version", "")) if isinstance(build, dict) else "",
        }
        return network.instrument(
            self._address,
            why=WHY,
            model=labels.get("instance"),
            sample_interval_s=self._interval_s(labels) if self._plain else None,
            details=details,
        )

    def read(self) -> Reading:
        """The latest sample, with its own time; the same again where it has not been scraped since."""
        time_s, value, _ = self._latest()
        return Reading(time_s, {self._quantity: value * self._scale})

    def close(self) -> None:
        """Close the connection."""
        self._http.close()

    def history(self, start: float, end: float, step_s: float = 1.0) -> InstrumentLog:
        """The samples that Prometheus has from ``start`` to ``end`` (Unix time, s).

        ``step_s`` is how often an expression is evaluated; a plain series has the samples that were scraped.
        Raises ``MeterError``.
        """
        if not start < end or not step_s > 0:
            raise self._address.error(
                "out-of-range", f"there are no steps of {step_s:g} s from {start:g} to {end:g}"
            )
        instrument = self.open()
        if not self._plain:
            instrument = replace(instrument, sample_interval_s=step_s)
        rows: dict[float, float] = {}
        span = _CHUNK_S if self._plain else _POINTS * step_s
        at = start
        while at < end:
            until = min(at + span, end)
            if self._plain:
                query = {"query": f"{self.query}[{math.ceil((until - at) * 1000)}ms]", "time": f"{until:.3f}"}
                found = self._ask("/query", query)
            else:
                query = {
                    "query": self.query,
                    "start": f"{at:.3f}",
                    "end": f"{until:.3f}",
                    "step": f"{step_s}",
                }
                found = self._ask("/query_range", query)
            rows |= dict(_samples(self._one(found, allow_none=True), self._http.who))
            at = until
        kept = {t: value for t, value in sorted(rows.items()) if start <= t <= end}
        note = "values of an expression: where its series had no sample, up to five minutes are filled in"
        problems = () if self._plain else (LogProblem("uncertain", None, note),)
        values = np.fromiter(kept.values(), np.float64) * self._scale
        return InstrumentLog(instrument, np.fromiter(kept, np.float64), {self._quantity: values}, problems)

    def _latest(self) -> tuple[float, float, dict[str, str]]:
        """Time, value and labels of the latest sample."""
        if self._plain is None:
            self._plain = self._is_plain()
        if not self._plain:
            result = self._one(self._ask("/query", {"query": self.query}))
            return *_sample(result.get("value"), self._http.who), _labels(result)
        window = math.ceil(self._max_age_s * 1000)
        result = self._one(self._ask("/query", {"query": f"{self.query}[{window}ms]"}))
        samples = _samples(result, self._http.who)
        if not samples:
            raise MeterError("empty", self._http.who, f"{self.query} has no sample")
        return *samples[-1], _labels(result)

    def _interval_s(self, labels: Mapping[str, str]) -> float | None:
        """How often a series is scraped: as its target says, else by the stamps of the last minutes."""
        try:
            data = self._ask("/targets", {"state": "active"})
        except MeterError:  # a service that answers queries only
            data = None
        targets = data.get("activeTargets") if isinstance(data, dict) else None
        for target in targets if isinstance(targets, list) else []:
            own = _labels({"metric": target.get("labels")}) if isinstance(target, dict) else {}
            if own and own.items() <= labels.items():
                seconds = _duration(target.get("scrapeInterval"))
                if seconds is not None:
                    return seconds
        late = self._one(self._ask("/query", {"query": f"{self.query}[{_LOOK_BACK_S}s]"}))
        samples = _samples(late, self._http.who)
        return sample_interval(np.array([stamp for stamp, _ in samples], dtype=np.float64), None)

    def _is_plain(self) -> bool:
        """Whether Prometheus lets a range of it be asked for: it does of series only."""
        try:
            self._ask("/query", {"query": f"{self.query}[1s]"})
        except http.RefusedError as error:
            if error.status != _BAD_DATA:
                raise
            # An expression, or nothing that Prometheus understands; the next question tells.
            self._ask("/query", {"query": self.query})
            return False
        return True

    def _one(self, data: Any, allow_none: bool = False) -> dict[str, Any]:
        """The only series of a result."""
        result = data.get("result") if isinstance(data, dict) else None
        kind = data.get("resultType") if isinstance(data, dict) else None
        if kind == "scalar":
            return {"value": result, "metric": {}}
        if kind not in ("vector", "matrix") or not isinstance(result, list):
            raise MeterError("wrong-type", self._http.who, f"{self.query} is {kind}, not a series of numbers")
        if len(result) == 1 and isinstance(result[0], dict):
            return result[0]
        if result:
            names = "; ".join(" ".join(f"{k}={v}" for k, v in _labels(each).items()) for each in result[:5])
            message = f"{self.query} is {len(result)} series: {names}"
            hint = "select one by its labels, or sum them: query=sum(...)"
            raise MeterError("ambiguous", self._http.who, message, hint=hint)
        if allow_none:
            return {}
        age = f" younger than {self._max_age_s:g} s" if self._plain else ""
        raise MeterError("empty", self._http.who, f"{self.query} has no sample{age}")

    def _ask(self, path: str, query: dict[str, str]) -> Any:
        prefix = f"/{self._prefix}" if self._prefix else ""
        answer = self._http.get(f"{prefix}/api/v1{path}", query)
        if not isinstance(answer, dict) or answer.get("status") != "success":
            raise MeterError("tool-output", self._http.who, "the answer is not one of Prometheus")
        return answer.get("data")


create = PrometheusMeter


def _duration(text: Any) -> float | None:
    """Seconds of a duration as Prometheus writes it: 15s, 1m30s, 500ms."""
    if not isinstance(text, str) or not re.fullmatch(r"(?:[0-9]{1,6}(?:ms|[smhd]))+", text, re.ASCII):
        return None
    parts = re.findall(r"([0-9]+)(ms|[smhd])", text)
    return sum(float(number) * _UNITS[unit] for number, unit in parts) or None


def _labels(series: Any) -> dict[str, str]:
    metric = series.get("metric") if isinstance(series, dict) else None
    return {str(name): str(value) for name, value in metric.items()} if isinstance(metric, dict) else {}


def _samples(series: Mapping[str, Any], place: str) -> list[tuple[float, float]]:
    """Times and values of a range of a series; none where it has no samples there."""
    pairs = series.get("values", [])
    if not isinstance(pairs, list):
        raise MeterError("tool-output", place, f"{pairs!r} is not a list of samples")
    return [_sample(pair, place) for pair in pairs]


def _sample(pair: Any, place: str) -> tuple[float, float]:
    """Time and value of a sample; Prometheus writes values as text."""
    try:
        time_s, value = float(pair[0]), float(pair[1])
    except (TypeError, ValueError, OverflowError, IndexError, KeyError):
        raise MeterError("tool-output", place, f"{pair!r} is not a sample") from None
    if not math.isfinite(time_s):
        raise MeterError("tool-output", place, f"the time of a sample is {pair[0]}")
    if not math.isfinite(value):
        raise MeterError("tool-output", place, f"a sample is {pair[1]}, not a number")
    return time_s, value
