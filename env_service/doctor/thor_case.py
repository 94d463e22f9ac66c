"""What the checks of AI2-THOR are about: how it is to be run here, and what the machine has."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from env_service.doctor.finding import Finding, State, Subject
from env_service.worlds.ai2thor import build, choosing, probe
from env_service.worlds.ai2thor.probe import MachineFacts
from env_service.worlds.ai2thor.settings import PREFIX, Platform, ThorSettings
from env_service.worlds.base import WorldUnavailableError

WORLD = "ai2thor"
SIZE = (1024, 1024)
"""Pixels of the largest picture that a suite asks for, AsgardBench's (spec: ai2thor.md section
5.3)."""


@dataclass(frozen=True, slots=True)
class Case:
    """AI2-THOR on this machine.

    ``chosen`` is the platform that it would run on, None if it cannot; ``why`` says then why.
    """

    settings: ThorSettings
    facts: MachineFacts
    environment: Mapping[str, str]
    chosen: Platform | None = None
    why: str = ""

    @property
    def home(self) -> Path:
        """The home folder of the player."""
        return build.base_folder(self.settings.home).parent

    @property
    def wanted(self) -> Platform:
        """The platform that it runs on, or would best run on if it could run at all."""
        if self.chosen is not None:
            return self.chosen
        if self.settings.platform is not Platform.AUTO:
            return self.settings.platform
        if self.settings.executable:
            return Platform.EXECUTABLE
        graphics_card = self.settings.gpu is not None or self._has_gpu
        return Platform.CLOUD_RENDERING if graphics_card else Platform.LINUX64

    @property
    def _has_gpu(self) -> bool:
        return self.facts.nvidia.present or bool(self.facts.vulkan.gpus)

    def severity(self, platform: Platform) -> State:
        """How bad it is that a platform does not work."""
        if platform is self.wanted:
            return State.PROBLEM
        second_best = self.settings.platform is Platform.AUTO and self._has_gpu
        if second_best and self.wanted is Platform.LINUX64:
            return State.WARNING
        return State.NOTE


def concerns(subject: Subject, environment: Mapping[str, str] = os.environ) -> bool:
    """Whether AI2-THOR matters here: the user asks for it, or has begun to set it up."""
    given = any(name.startswith(PREFIX) and value for name, value in environment.items())
    if subject.world == WORLD or given:
        return True
    try:
        folder = build.releases(_home(environment))
        return any(each.is_dir() for each in folder.glob("thor-*"))
    except (WorldUnavailableError, OSError):
        return False


def examined(environment: Mapping[str, str] = os.environ) -> Case:
    """Looks at the machine, which takes some seconds.

    Raises:
        ValueError: the settings in the environment make no sense.
    """
    settings = ThorSettings.from_environment(environment)
    facts = probe.look(settings, *SIZE, environment=environment, everything=True)
    try:
        chosen = choosing.decide(settings, facts)
    except WorldUnavailableError as error:
        return Case(settings, facts, environment, why=str(error))
    return Case(settings, facts, environment, chosen)


def finding(name: str, state: State, text: str) -> Finding:
    """A finding from one of the world's own messages: what is wrong, then how to mend it."""
    found, _, mend = text.partition(". ")
    return Finding(name, state, found, mend or _SEE)


_SEE = "docs/ai2thor.md tells how AI2-THOR is set up."


def _home(environment: Mapping[str, str]) -> Path | None:
    named = environment.get(f"{PREFIX}HOME", "").strip()
    return Path(named).expanduser() if named else None
