"""How the service's process runs."""

from __future__ import annotations

import asyncio
import signal

import pytest

from env_service.gateway.runtime import run_service


async def _takes_ctrl_c_and_fails() -> None:
    asyncio.get_running_loop().add_signal_handler(signal.SIGINT, lambda: None)
    raise RuntimeError("it cannot go on")


def test_ctrl_c_means_what_it_meant_once_the_service_has_failed() -> None:
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(RuntimeError, match="cannot go on"):
        run_service(_takes_ctrl_c_and_fails())
    assert signal.getsignal(signal.SIGINT) is before
