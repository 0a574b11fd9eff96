"""Real instruments' software on loopback, started and stopped by tests.

Every server is a context manager, so that any test can have one; what it needs and does not find becomes a
skip that says what to install. Nothing here listens anywhere but on 127.0.0.1.
"""
