"""For every test."""

from __future__ import annotations

import signal

# A shell that runs the tests in the background has them, and all that they start, ignore
# Ctrl-C; some of them are about what Ctrl-C does.
signal.signal(signal.SIGINT, signal.default_int_handler)
