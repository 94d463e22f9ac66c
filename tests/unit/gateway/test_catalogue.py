"""The list of suites that a service keeps."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from env_service.gateway.background import HelperProcesses
from env_service.gateway.control_service import SuiteCatalogue
from env_service.suites.drafts import ListedSuite


class Counting(HelperProcesses):
    """Counts the suites that are listed anew."""

    def __init__(self) -> None:
        super().__init__(0)
        self.listed = 0

    async def call(self, work: Callable[..., Any], *given: Any) -> Any:
        """Does the work, once every other call has been made."""
        await asyncio.sleep(0)
        found = await super().call(work, *given)
        self.listed += sum(listed is not None for _, listed in found.values())
        return found


def test_calls_that_come_at_once_list_each_suite_once() -> None:
    apart = Counting()

    async def ask() -> list[list[ListedSuite]]:
        catalogue = SuiteCatalogue(apart)
        names = ["babyai", "babybench"]
        return list(await asyncio.gather(*(catalogue.list(names) for _ in range(5))))

    answers = asyncio.run(ask())
    assert apart.listed == 2
    assert [suite.name for suite in answers[0]] == ["babyai", "babybench"]
    assert all(answer == answers[0] for answer in answers)
