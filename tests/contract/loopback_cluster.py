"""A Ray cluster on this machine's loopback, of as many nodes as a test wants; nothing is left of it."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
from contextlib import contextmanager
from pathlib import Path

import pytest

HERE = Path(__file__).parent
MEMORY = 80 << 20  # of each node's object store: results are small


class Nodes:
    """The nodes of a cluster; the first is its head."""

    def __init__(self, cluster, folder):
        self._cluster, self.folder = cluster, folder
        self.address = cluster.address

    def add(self, processors=1):
        """One more node; it is alive on return."""
        return self._cluster.add_node(
            num_cpus=processors, object_store_memory=MEMORY, node_ip_address="127.0.0.1"
        )

    def kill(self, node):
        """A node dies without a word, with all that runs on it: as if its power were cut."""
        workers = _children(_raylet(node))
        for process in [_raylet(node), *workers]:
            os.kill(process, signal.SIGKILL)

    def end(self):
        self._cluster.shutdown()


def _raylet(node):
    (info,) = node.all_processes["raylet"]
    return info.process.pid


def _children(process):
    found = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    return [int(child) for child in found]


@contextmanager
def started(processors=1, nodes=1, environment=()):
    """A cluster of ``nodes`` with ``processors`` each; its workers find this folder's modules."""
    pytest.importorskip("ray")
    with pytest.MonkeyPatch.context() as patch:
        # Ray replaces loopback addresses where it is not told otherwise.
        patch.setenv("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        patch.setenv("RAY_AUTH_MODE", "disabled")
        paths = [str(HERE), *filter(None, [os.environ.get("PYTHONPATH")])]
        patch.setenv("PYTHONPATH", os.pathsep.join(paths))
        for name, value in dict(environment).items():
            patch.setenv(name, value)
        from ray.cluster_utils import Cluster

        folder = tempfile.mkdtemp(prefix="ray-", dir="/tmp")  # short: it holds sockets
        cluster = Cluster(
            initialize_head=True,
            head_node_args={
                "num_cpus": processors,
                "object_store_memory": MEMORY,
                "node_ip_address": "127.0.0.1",
                "include_dashboard": False,
                "include_log_monitor": False,
                "temp_dir": folder,
            },
        )
        made = Nodes(cluster, folder)
        try:
            for _ in range(nodes - 1):
                made.add(processors)
            yield made
        finally:
            made.end()
            shutil.rmtree(folder, ignore_errors=True)
