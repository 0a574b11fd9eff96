"""`iowatt trace fit`: a trace's description into a profile, and how near its synthetic trace comes."""
