"""The study of 2002: energy and performance of RAID arrays under transaction processing."""
