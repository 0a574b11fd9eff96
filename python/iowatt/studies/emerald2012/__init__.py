"""The study of 2012: SNIA Emerald's training, and the best foot forward of its Online-3 family."""
