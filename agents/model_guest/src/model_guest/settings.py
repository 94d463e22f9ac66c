"""What a user chooses about a guest, apart from its model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from .examples.options import ExampleOptions
from .prices import Prices


@dataclass(frozen=True, slots=True)
class Budget:
    """Where a guest stops by itself. None: nowhere. For guests started by hand: a run of the
    house has budgets of its own, over all its sessions."""

    cost_usd: float | None = None
    tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Settings:
    """A guest's settings.

    ``prompts``: a folder with a prompt set for every suite; None takes the package's own for
    the suite. ``prompt_settings``: what prompt sets let a user choose, by name. ``examples``:
    which solved tasks prompts show, where their set has some. ``history`` and
    ``history_pictures``: past turns shown, and past turns shown with their pictures; None leaves it
    to the prompt set. ``pictures``: the files that pictures come as, one of pictures.ENCODINGS, or
    "off". ``reask``: how often a model is asked again when its reply cannot be read. ``choose``:
    list all legal replies in each request, where that can be done.
    """

    prompts: Path | None = None
    prompt_settings: Mapping[str, str] = field(default_factory=dict)
    examples: ExampleOptions = field(default_factory=ExampleOptions)
    history: int | None = None
    history_pictures: int | None = None
    pictures: str = "png"
    reask: int = 0
    choose: bool = False
    prices: Prices = field(default_factory=Prices)
    budget: Budget = Budget()

    def configuration(self) -> dict[str, str]:
        """All that could change a reply, by name; stored with the run."""
        declared = {f"prompt.{name}": value for name, value in self.prompt_settings.items()}
        if self.history is not None:
            declared["history"] = str(self.history)
        if self.history_pictures is not None:
            declared["history_pictures"] = str(self.history_pictures)
        declared["picture_files"] = self.pictures
        declared["reask"] = str(self.reask)
        if self.choose:
            declared["choose"] = "on"
        return declared


ALL = 1_000_000_000
"""As a number of turns: every one of them."""
