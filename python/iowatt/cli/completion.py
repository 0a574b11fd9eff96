"""What the shell offers for a word that is being typed: names of the library, keys of a scenario, metrics."""

from __future__ import annotations

from collections.abc import Iterable


def devices(incomplete: str) -> list[str]:
    """Devices of the library."""
    from iowatt.model.library import device_names

    return _begun(incomplete, device_names())


def profiles(incomplete: str) -> list[str]:
    """Workload profiles of the library."""
    from iowatt.model.profile import profile_names

    return _begun(incomplete, profile_names())


def rules(incomplete: str) -> list[str]:
    """Rule profiles of Emerald."""
    from iowatt.emerald.rules import profile_names

    return _begun(incomplete, profile_names())


def tariffs(incomplete: str) -> list[str]:
    """Electricity tariffs of the library."""
    from iowatt.tariffs.find import tariff_names

    return _begun(incomplete, tariff_names())


def log_kinds(incomplete: str) -> list[str]:
    """Logs of counters: of hosts' tools, and of arrays by the mappings of the library."""
    from iowatt.counters.read import FORMATS
    from iowatt.sources.array_log import ARRAY_LOGS

    return _begun(incomplete, (*FORMATS, *ARRAY_LOGS.names()))


def language_models(incomplete: str) -> list[str]:
    """Language models whose shape is known."""
    from iowatt.trace.kv_cache import model_names

    return _begun(incomplete, model_names())


def studies(incomplete: str) -> list[str]:
    """Published studies."""
    from iowatt.studies import studies as known

    return _begun(incomplete, [one.name for one in known()])


def metrics(incomplete: str) -> list[str]:
    """Metrics that a search may be for, or be subject to."""
    from iowatt.evaluate.search.metrics import catalogue

    return _begun(incomplete, catalogue())


def keys(incomplete: str) -> list[str]:
    """Keys of a scenario, after names of list elements as well: ``array.pool.disks.co``."""
    from iowatt.base.keys import catalogue, resolve
    from iowatt.model.scenario import Scenario

    above, dot, last = incomplete.rpartition(".")
    known = catalogue(Scenario)
    if not dot:
        return _begun(incomplete, known)
    table = resolve(Scenario, above)
    below = [path.removeprefix(f"{table}.") for path in known if path.startswith(f"{table}.")]
    return [f"{above}.{path}" for path in _begun(last, below)]


def overrides(incomplete: str) -> list[str]:
    """``PATH=`` of a key that takes a value; behind ``device=`` the devices of the library."""
    path, equals, value = incomplete.partition("=")
    if equals:
        devices_wanted = path.rpartition(".")[2] == "device" or path.endswith("device.name")
        return [f"{path}={name}" for name in devices(value)] if devices_wanted else []
    return [f"{key}=" for key in keys(incomplete)]


def _begun(incomplete: str, names: Iterable[str]) -> list[str]:
    return [name for name in names if name.startswith(incomplete)]
