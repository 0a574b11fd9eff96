"""Studies: published work remade from end to end.

A study is a set of scenarios and the figures that were published of them. Its scenarios are sweeps, run as
:mod:`iowatt.evaluate.search` runs any; what it says is computed from their tables and Runs.

study    what a study is: stages, and what it finds      verdict  agree or differ, with figures and a cause
conduct  the stages run, interrupted and resumed         results  what they gave
page, text, write  what a reader sees                    arrays2002/  a package for each study
"""
