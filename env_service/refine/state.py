"""The state file of a refinement."""

from __future__ import annotations

from env_service.chat.kept import Kept
from env_service.refine.entries import Entry, Key, read_entry


class State(Kept[Key, Entry]):
    """What is done so far: see `Kept`."""

    FORMAT = "houseguest-refine-1"
    COMMAND = "houseguest refine"
    read = staticmethod(read_entry)
