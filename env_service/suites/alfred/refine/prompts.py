"""The prompts for a model: templates in this folder, or in a folder of the user's."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from env_service.chat.client import Message
from env_service.chat.templates import Templates
from env_service.suites.alfred.refine.sources import Source, Stage

VERSION = "1"
"""Of the packaged prompts: raised with every change of their words."""

NAMES = (
    *("again.integrity", "again.line", "again.lines", "base.ask", "base.system"),
    *("contextual.system", "families", "form", "integrity.ask", "integrity.system"),
    *("korean.system", "lines.ask", "paraphrase_1.system", "paraphrase_2.system"),
)
"""All templates, without their ending ".jinja"."""


class Prompts:
    """A set of prompts. Templates run in a sandbox; an unknown name is an error.

    ``version`` names the packaged set, or is "own"; ``digest`` is the SHA-256 (hex) of all of it.
    """

    def __init__(self, folder: Path | None = None) -> None:
        """``folder`` has all of NAMES; None: the packaged ones. Raises TemplatesError."""
        self._templates = Templates(__package__, NAMES, folder)
        self.version = VERSION if folder is None else "own"
        self.digest = self._templates.digest

    def integrity(self, source: Source, command: str) -> list[Message]:
        """Asks what is wrong with a command."""
        return self._opening(Stage.INTEGRITY, "integrity.ask", command=command, **_facts(source))

    def base(self, source: Source) -> list[Message]:
        """Asks for the command of an action sequence."""
        return self._opening(Stage.BASE, "base.ask", **_facts(source))

    def lines(self, stage: Stage, commands: Sequence[str]) -> list[Message]:
        """Asks for commands in another wording."""
        return self._opening(stage, "lines.ask", commands=list(commands))

    def again(
        self, asked: Sequence[Message], reply: str, form: str, problem: str, count: int = 1
    ) -> list[Message]:
        """Asks once more, with the reply that would not do and why. ``form``: "integrity", "line",
        or "lines", of which there shall be ``count``."""
        return self._templates.again(asked, reply, f"again.{form}", problem=problem, count=count)

    def _opening(self, stage: Stage, ask: str, **names: Any) -> list[Message]:
        system = self._templates.fill(f"{stage.prompt}.system")
        return [Message.system(system), Message.user(self._templates.fill(ask, **names))]


def _facts(source: Source) -> dict[str, str]:
    return {"task_type": source.goal.type.value, "action_sequence": source.action_sequence}
