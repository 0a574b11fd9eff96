"""``iowatt optimize``: the best of many configurations, by simulating as few of them as it takes.

problem objectives and constraints space the configurations bounds what is certain before any run
candidates points assessed and run methods, screen which to simulate next engine all of it, resumable
outcome, result, result_view   the result        sensitivity   why the winner wins
"""
