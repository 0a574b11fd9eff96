"""The executor of ``--cluster`` keeps the contract, on a real Ray cluster of this machine's loopback."""

from __future__ import annotations

import pytest
from executor_contract import ExecutorContract
from loopback_cluster import started

from iowatt.search.cluster import Cluster

pytestmark = pytest.mark.cluster


@pytest.fixture(scope="module")
def nodes():
    with started(processors=3) as made:
        yield made


@pytest.mark.usefixtures("nodes")
class TestCluster(ExecutorContract):
    @pytest.fixture
    def executor(self, nodes):
        made = Cluster(nodes.address)
        yield made
        made.close()
