"""Which arrivals a load generator makes in place of a profile's, and what is lost by that."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from iowatt.model.profile import arrivals as laws
from iowatt.model.profile.profile import Profile, Stream
from iowatt.sources.export.loads import Omission

_FOLLOWERS: Final = {"sequential": ", one behind the other", "same": ", to the same place", "law": ""}


def law_of(profile: Profile, stream: Stream) -> laws.Arrivals:
    """The law of a stream's arrivals, its own or the common one."""
    if stream.rate_iops is not None:
        return laws.Poisson(law="poisson", rate=stream.rate_iops)
    law = stream.arrivals if stream.arrivals is not None else profile.arrivals
    assert law is not None, "checked"
    return law


def lost(profile: Profile, tool: str) -> Iterator[Omission]:
    """What no generator says of the times of arrival."""
    given = [("arrivals", profile.arrivals)]
    given += [(f"stream.{stream.name}.arrivals", stream.arrivals) for stream in profile.stream]
    for key, law in given:
        if law is not None:
            yield from _lost(key, law, tool)
    for stream in profile.stream:
        if stream.run is not None:
            where = _FOLLOWERS[stream.run.addresses]
            yield Omission(
                f"stream.{stream.name}.run",
                f"runs of {stream.run.requests:g} requests {stream.run.gap:g} s apart{where}",
                "as many requests, each arriving by itself",
                f"{tool} has no arrivals that bring others after them",
            )


def _lost(key: str, law: laws.Arrivals, tool: str) -> Iterator[Omission]:
    if law.stay > 1:
        yield Omission(
            f"{key}.stay",
            f"{law.stay:g} requests of a stream in a row",
            "streams that are independent",
            f"{tool} draws each stream by itself",
        )
    if isinstance(law, laws.HyperExponential | laws.Batch | laws.OnOff):
        yield Omission(
            key,
            f"arrivals of the law {law.law}",
            "Poisson arrivals of the same mean rate",
            f"{tool} has no such law; its load is smoother",
        )
    elif not isinstance(law, laws.Recorded | laws.Closed) and law.modulation is not None:
        yield Omission(
            f"{key}.modulation",
            "a rate that changes at random",
            "the mean rate",
            f"{tool} has constant rates; its load is smoother",
        )
