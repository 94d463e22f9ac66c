"""What a model is asked with: templates in the folder beside this file, or in one of the user's."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from env_service.chat.client import Message
from env_service.chat.templates import Templates
from env_service.suites.actplan.making.files import Stated
from env_service.suites.actplan.task import Circumstance

VERSION = "1"
"""Of the packaged prompts: raised with every change of their words."""

NAMES = (
    *("again", "circumstances.ask", "circumstances.system", "counterfactual.ask"),
    *("counterfactual.system", "describe.ask", "describe.system"),
)
"""All templates, without their ending ".jinja"."""

RELATIONS = ("inside", "ontop", "onfloor", "under", "nextto", "touching")
STATES = (
    *("open", "toggled_on", "dusty", "stained", "soaked", "sliced", "cooked", "burnt", "frozen"),
    "perished",
)
"""The predicates of published definitions."""


class Prompts:
    """A set of prompts. ``version`` names the packaged set, or is "own"; ``digest`` is the SHA-256
    (hex) of all of it."""

    def __init__(self, folder: Path | None = None) -> None:
        """``folder`` has all of NAMES; None: the packaged ones. Raises TemplatesError."""
        self._templates = Templates(__package__, NAMES, folder)
        self.version = VERSION if folder is None else "own"
        self.digest = self._templates.digest

    def describe(self, activity: str, told: str, problem: str, circumstance: str) -> list[Message]:
        """Asks for a description. ``told``: the one by template; ``problem``: BDDL."""
        return self._opening(
            "describe", activity=activity, told=told, problem=problem, circumstance=circumstance
        )

    def circumstances(
        self, activity: str, told: str, kind: Circumstance, number: int
    ) -> list[Message]:
        """Asks for so many circumstances of a kind."""
        return self._opening(
            "circumstances",
            activity=activity,
            told=told,
            kind=kind.value,
            number=number,
            states=", ".join(STATES),
        )

    def counterfactual(self, stated: Stated, problem: str) -> list[Message]:
        """Asks for the definition under a circumstance."""
        return self._opening(
            "counterfactual",
            activity=stated.activity,
            kind=stated.kind.value.replace("_", " "),
            circumstance=stated.text,
            problem=problem,
            relations=", ".join(RELATIONS),
            states=", ".join(STATES),
        )

    def again(self, asked: Sequence[Message], reply: str, problem: str) -> list[Message]:
        """Asks once more, with the reply that would not do and why."""
        return self._templates.again(asked, reply, "again", problem=problem)

    def _opening(self, name: str, **names: object) -> list[Message]:
        system = self._templates.fill(f"{name}.system", **names)
        return [
            Message.system(system),
            Message.user(self._templates.fill(f"{name}.ask", **names)),
        ]
