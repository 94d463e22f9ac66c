"""What becomes of requests when a worker is lost."""

from __future__ import annotations

import asyncio

import pytest

from env_service.domain.failure import FaultClass, WorldFault
from env_service.engine.link import Request, WorkerLink
from env_service.engine.messages import Op


class Owner:
    """Hears nothing that matters here."""

    def on_lost(self, running: Request | None) -> None:
        pass

    def on_hang(self, request: Request) -> None:
        pass


@pytest.mark.parametrize("of_one", [True, False])
def test_who_asks_while_the_worker_is_being_killed_hears_who_is_to_blame(of_one: bool) -> None:
    async def ask() -> WorldFault:
        link = WorkerLink(Owner())
        link.give_up()
        answer = link.submit(Request(Op.ACT, 0, None, lambda payload: payload, 60.0))
        link.fail(WorldFault(FaultClass.SIMULATOR_CRASH, "held too much"), of_one=of_one)
        with pytest.raises(WorldFault) as caught:
            await answer
        return caught.value

    assert asyncio.run(ask()).collateral is not of_one
