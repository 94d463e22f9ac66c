"""A submission's runs end when they are asked to, however they were begun."""

from __future__ import annotations

import os
import signal
import time

import pytest

from env_service.cli.submit import stoppable


def test_sigterm_ends_what_a_script_began_in_the_background() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with pytest.raises(KeyboardInterrupt), stoppable():
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(5)
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)
