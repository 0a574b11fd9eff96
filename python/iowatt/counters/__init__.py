"""Logs of counters, where there is no trace: iostat, sar and Windows' performance monitor, as a profile.

`read` makes a `Log` of files, `summary` has the figures of each device, and `profile` makes of it a
workload profile in which each figure that the counters do not give is marked as assumed.
"""
