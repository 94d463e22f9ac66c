"""The suites that a service can run, as it lists them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from env_service.gateway.apart import Apart
from env_service.suites.drafts import ListedSuite, list_suites


class Catalogue:
    """Lists suites, and keeps each list for as long as its data packs stay as they are."""

    def __init__(self, apart: Apart) -> None:
        """``apart`` does what takes long."""
        self._apart = apart
        self._known: dict[str, tuple[str, ListedSuite]] = {}
        # Calls that come at once wait for one list, and do not each make their own.
        self._listing = asyncio.Lock()

    async def list(self, names: Sequence[str]) -> list[ListedSuite]:
        """The suites of these names, in this order. Raises as ``load_suite`` does."""
        async with self._listing:
            known = {name: self._known[name][0] for name in names if name in self._known}
            found = await self._apart.call(list_suites, names, known)
            for name, (state, listed) in found.items():
                if listed is not None:
                    self._known[name] = state, listed
            return [self._known[name][1] for name in names]
