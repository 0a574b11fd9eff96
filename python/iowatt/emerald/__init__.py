"""SNIA Emerald (ISO/IEC 24091) and ENERGY STAR storage measurements, from plan to report."""
