"""`iowatt replay`: a trace on real storage, with meters beside it, and the same trace simulated."""
