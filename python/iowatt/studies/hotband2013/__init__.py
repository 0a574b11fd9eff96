"""The study of 2013: cache and tiering raise IOPS per watt."""
