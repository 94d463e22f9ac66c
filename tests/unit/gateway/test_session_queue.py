"""First come, first served."""

from __future__ import annotations

import asyncio

from env_service.gateway.session_queue import SessionQueue


async def wait_in(queue: SessionQueue, log: list[str], name: str) -> None:
    async with queue.ticket() as ticket:
        async for position in ticket.positions():
            log.append(f"{name}@{position}")
    log.append(f"{name} in")


async def settled() -> None:
    """Lets everybody do what they can."""
    for _ in range(20):
        await asyncio.sleep(0)


def test_places_are_given_in_order_and_positions_are_told() -> None:
    async def scene() -> list[str]:
        queue, log = SessionQueue(1), list[str]()
        tasks = []
        for name in "abc":
            tasks.append(asyncio.create_task(wait_in(queue, log, name)))
            await asyncio.sleep(0)
        queue.release()
        await settled()
        queue.release()
        await asyncio.gather(*tasks)
        return log

    assert asyncio.run(scene()) == ["a in", "b@1", "c@2", "b in", "c@1", "c in"]


def test_who_leaves_the_queue_holds_nobody_up() -> None:
    async def scene() -> list[str]:
        queue, log = SessionQueue(1), list[str]()
        first, second, third = (asyncio.create_task(wait_in(queue, log, n)) for n in "abc")
        await settled()
        second.cancel()
        await settled()
        queue.release()
        await asyncio.gather(first, third)
        return log

    assert asyncio.run(scene())[-2:] == ["c@1", "c in"]


def test_a_place_won_while_the_position_is_told_is_not_missed() -> None:
    async def scene() -> list[int]:
        queue, told = SessionQueue(1), list[int]()
        async with queue.ticket():
            pass
        async with queue.ticket() as ticket:
            async for position in ticket.positions():
                told.append(position)
                queue.release()
        return told

    assert asyncio.run(asyncio.wait_for(scene(), 5)) == [1]
