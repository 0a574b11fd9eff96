"""Search: it multiplies scenarios, hands them to an executor and collects what became of their Runs.

over the values that change    grid  points of a sweep       prepare  points checked, before anything runs
point  one point, anywhere     executor, threads  who works   journal, folder  what survives an interruption
row, table  one row a point    pareto, figures, page  what a reader sees    sweep, curve  all of it together
"""
