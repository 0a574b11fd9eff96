"""A Ray cluster on this machine's loopback, of as many nodes as a test wants; nothing is left of it."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
from contextlib import contextmanager
from pathlib import Path

import pytest

import needs

TESTS = Path(__file__).resolve().parents[1]
MEMORY = 80 << 20  # of each node's object store: results are small


class Nodes:
    """The nodes of a cluster; the first is its head."""

    def __init__(self, cluster):
        self._cluster = cluster
        self.address = cluster.address

    @property
    def head(self):
        return self._cluster.head_node

    def add(self, processors=1, environment=()):
        """One more node, which is alive on return; its workers have the environment too."""
        with pytest.MonkeyPatch.context() as patch:
            for name, value in dict(environment).items():
                patch.setenv(name, value)
            return self._cluster.add_node(
                num_cpus=processors, object_store_memory=MEMORY, node_ip_address="127.0.0.1"
            )

    def kill(self, node):
        """A node dies without a word, with all that runs on it: as if its power were cut."""
        for process in self.workers(node):
            os.kill(process, signal.SIGKILL)
        for kind in node.all_processes.values():
            for info in kind:
                info.process.kill()

    def workers(self, node, name=""):
        """Processes that a node has started, those that call themselves ``name``."""
        (raylet,) = node.all_processes["raylet"]
        started = Path(f"/proc/{raylet.process.pid}/task/{raylet.process.pid}/children").read_text()
        return [
            int(pid) for pid in started.split() if name.encode() in Path(f"/proc/{pid}/cmdline").read_bytes()
        ]


@contextmanager
def started(processors=1):
    """A cluster of one node, whose workers find the modules of the tests."""
    needs.modules("ray")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        patch.setenv("RAY_AUTH_MODE", "disabled")
        paths = [str(TESTS), str(TESTS / "contract"), *filter(None, [os.environ.get("PYTHONPATH")])]
        patch.setenv("PYTHONPATH", os.pathsep.join(paths))
        from ray._private import ray_constants
        from ray.cluster_utils import Cluster

        # Ray replaces loopback addresses by the machine's own, unless it is told that there is no network:
        # this process, and those that it starts.
        patch.setattr(ray_constants, "ENABLE_RAY_CLUSTER", False)
        patch.setenv("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")
        folder = tempfile.mkdtemp(prefix="ray-", dir="/tmp")  # short: it holds sockets
        # Ray keeps the address in RAY_TMPDIR/ray, whatever temp_dir is, and does not create that folder.
        patch.setenv("RAY_TMPDIR", folder)
        session = Path(folder, "ray")
        session.mkdir()
        cluster = Cluster(
            initialize_head=True,
            head_node_args={
                "num_cpus": processors,
                "object_store_memory": MEMORY,
                "node_ip_address": "127.0.0.1",
                "include_dashboard": False,
                "include_log_monitor": False,
                "temp_dir": str(session),
            },
        )
        try:
            yield Nodes(cluster)
        finally:
            cluster.shutdown()
            shutil.rmtree(folder, ignore_errors=True)
