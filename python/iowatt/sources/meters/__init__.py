"""Instruments: what a meter or its log says, one file each behind one contract (`meter`, `log`)."""
