"""Where the house of one command listens."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class PrivatePlace:
    """A folder of its own, and the addresses of the two listeners in there.

    A sandbox shows its guests the whole folder of the agents' socket, so that holds nothing else,
    and others may read it: a guest is another user. What else lies in ``folder`` is the house's.
    """

    folder: Path
    agents: str
    control: str


@contextmanager
def private_place() -> Iterator[PrivatePlace]:
    """Makes the place; it is removed afterwards. Raises OSError."""
    # Guests see where a mount comes from: the name must not tell what is played.
    with tempfile.TemporaryDirectory(prefix="houseguest-") as name:
        folder = Path(name)
        for part, mode in (("agents", 0o755), ("control", 0o700)):
            (folder / part).mkdir()
            (folder / part).chmod(mode)
        yield PrivatePlace(
            folder, f"unix:{folder}/agents/agent.sock", f"unix:{folder}/control/control.sock"
        )
