"""fio on a host: processes that each keep requests outstanding, and the processor time that a request takes.

fio's completion latency leaves out the processor time of its own process at depth 1 (think time here). With
many outstanding, what is done waits until its process takes it: a processor for each process serves requests
in turn.
"""

from __future__ import annotations

from dataclasses import dataclass

from iowatt.evaluate.evaluation import run_scenario

HOST_S = 2.7e-6
"""Processor time of a request: 1 / IOPS less the mean latency at depth 1, of fio with the measured drives."""


@dataclass(frozen=True)
class Load:
    """Random reads of one size on files of 4 GiB a process."""

    processes: int
    depth: int
    size: int

    def scenario(self, device: str, duration_s: float) -> str:
        deep, outstanding = self.depth > 1, self.processes * self.depth
        think = "" if deep else f', think = "{HOST_S * 1e9:.0f}ns"'
        host = f'processing = {{ read = "{HOST_S * 1e9:.0f}ns", processors = {self.processes} }}\n'
        return (
            'name = "fio"\nseed = 1\n[[workload]]\nname = "work"\n'
            f"profile = {{ name = 'uniform', rate_iops = 1000, span = '{self.processes * 4}GiB', "
            f"set = ['stream.uniform.read_share=100', 'stream.uniform.size={self.size}', "
            f"'stream.uniform.align={self.size}'] }}\n"
            f'replay = {{ mode = "closed", outstanding = {outstanding}{think} }}\n'
            f"[[array.pool]]\nname = 'drive'\ndevice = {device!r}\ncount = 1\n"
            f"{'[array.controller]' + chr(10) + host if deep else ''}"
            f'[observe]\nwarmup = "{0.2 * duration_s:.9f}s"\nduration = "{duration_s:.9f}s"\n'
        )


@dataclass(frozen=True)
class Answer:
    """IOPS, and completion latency in microseconds."""

    iops: float
    mean: float
    p50: float
    p99: float
    p999: float


def simulated(device: str, load: Load, requests: int = 40_000, rate: float = 100_000.0) -> Answer:
    """What the simulator says of ``device`` under ``load``, over about so many requests at ``rate``."""
    summary = run_scenario(load.scenario(device, requests / rate)).summary
    times = summary["response_time_ms"]["read"]
    return Answer(
        summary["throughput"]["iops"], *(1e3 * times[name] for name in ("mean", "p50", "p99", "p999"))
    )
