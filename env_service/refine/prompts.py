"""What a model is asked with: templates beside this file, or in a folder of the user's."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import DictLoader, StrictUndefined, TemplateError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from env_service.chat.endpoint import Message
from env_service.refine.errors import PromptError
from env_service.refine.source import Source
from env_service.refine.stages import Stage

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
        """``folder`` has all of NAMES; None: the packaged ones. Raises PromptError."""
        texts = {f"{name}.jinja": _read(folder, f"{name}.jinja") for name in NAMES}
        self.version = VERSION if folder is None else "own"
        sheet = "".join(f"{name}\0{text}\0" for name, text in sorted(texts.items()))
        self.digest = hashlib.sha256(sheet.encode()).hexdigest()
        self._environment = ImmutableSandboxedEnvironment(
            loader=DictLoader(texts),
            undefined=StrictUndefined,
            # The texts go to a model, not into a page.
            autoescape=False,
        )

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
        words = self._render(f"again.{form}", problem=problem, count=count)
        # Some servers take no empty message.
        return [*asked, Message("assistant", reply.strip() or "(nothing)"), Message("user", words)]

    def _opening(self, stage: Stage, ask: str, **names: Any) -> list[Message]:
        system = self._render(f"{stage.prompt}.system")
        return [Message("system", system), Message("user", self._render(ask, **names))]

    def _render(self, name: str, **names: Any) -> str:
        try:
            return self._environment.get_template(f"{name}.jinja").render(names).strip()
        except TemplateError as error:
            raise PromptError(f"the prompt {name}.jinja cannot be filled in: {error}") from error


def _facts(source: Source) -> dict[str, str]:
    return {"task_type": source.goal.type.value, "action_sequence": source.action_sequence}


def _read(folder: Path | None, name: str) -> str:
    place = files(__package__) / "prompts" / name if folder is None else folder / name
    try:
        return place.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise PromptError(
            f"the prompt {place} cannot be read ({error}); a folder of prompts has"
            f" {', '.join(f'{each}.jinja' for each in NAMES)}"
        ) from error
