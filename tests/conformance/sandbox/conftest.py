"""The sandboxes that every agent here is put into."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.conformance.sandbox.kit import CELLS, Laboratory, laboratory
from tests.support import preloaded


@pytest.fixture(autouse=True)
def _agents_are_new_interpreters() -> Iterator[None]:
    """The command line of a clone does not show the agent, by which tests find it."""
    with preloaded.allowed(False):
        yield


@pytest.fixture(params=sorted(CELLS))
def any_lab(request: pytest.FixtureRequest) -> Iterator[Laboratory]:
    """Each kind of sandbox, the plain process among them."""
    cell = CELLS[request.param]
    cell.need()
    with laboratory(cell) as lab:
        yield lab


@pytest.fixture(params=sorted(name for name, cell in CELLS.items() if cell.holds_in))
def lab(request: pytest.FixtureRequest) -> Iterator[Laboratory]:
    """Each kind of sandbox that holds in an agent which means harm."""
    cell = CELLS[request.param]
    cell.need()
    with laboratory(cell) as opened:
        yield opened
