"""Logs of counters where there is no trace: iostat, sar and Windows' performance monitor.

``read`` parses files into a ``CountersLog``, ``summary`` has the figures of each device, and ``profile``
writes a workload profile that marks each figure which counters do not give as assumed.
"""
