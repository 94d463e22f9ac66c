"""For every test."""

from __future__ import annotations

import os
import signal

# A shell that runs the tests in the background has them, and all that they start, ignore
# Ctrl-C; some of them are about what Ctrl-C does.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Who has set AI2-THOR up in this shell tests the house all the same.
_SET_UP = ("HOUSEGUEST_THOR_", "HOUSEGUEST_PLAYER_")
for _name in [name for name in os.environ if name.startswith(_SET_UP)]:
    del os.environ[_name]
