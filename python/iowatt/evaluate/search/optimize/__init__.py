"""``iowatt optimize``: which of many configurations, by simulating as few of them as it takes.

problem  what is asked          space  the configurations    known, bounds  what is sure before any run
looked  each of them, unsimulated   exact, sampled  which to simulate next   front  which are best
engine  the whole optimization, resumable   sensitivity  why the winner wins
"""
