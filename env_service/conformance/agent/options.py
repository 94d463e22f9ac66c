"""How guests are checked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from env_service.sandbox.options import SandboxOptions


@dataclass(frozen=True, slots=True)
class AgentOptions:
    """What `check_agent` may be told.

    ``only``: ids of rules; empty for all. ``jobs``: scenes that are played at once; an external
    guest plays one at a time. ``start_limit``: seconds until a guest has to say Hello;
    ``scene_limit``: seconds that it has for one scene from then on, without what the house itself
    makes it wait. ``logs``: where the guest's output of each scene is kept; None: nowhere.
    ``sandbox``: how the guest is held in. ``subject`` names it in the report. ``listen``
    (``unix:/path`` or ``host:port``), ``token`` (empty: drawn) and ``seats`` (a folder for the
    token's file) are for a guest that is started elsewhere. ``progress`` is called after each
    scene with how many were played, and how many there are.
    """

    only: tuple[str, ...] = ()
    jobs: int = 4
    start_limit: float = 60.0
    scene_limit: float = 30.0
    logs: Path | None = None
    sandbox: SandboxOptions = field(default_factory=SandboxOptions)
    subject: str = "guest"
    listen: str = ""
    token: str = ""
    seats: Path | None = None
    progress: Callable[[int, int], None] | None = None
