"""A search's tasks on a Ray cluster.

address   which cluster, and whether anything answers there
executor  the executor: this process, which knows nothing of Ray
child     the process between us and the cluster: which cluster, and how it is joined
driver    what that process does: it is Ray's driver
worker    what goes to the machines of the cluster
versions  what must be the same everywhere
"""

from iowatt.evaluate.search.cluster.executor import Cluster

__all__ = ["Cluster"]
