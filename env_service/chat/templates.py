"""Prompts as files: templates in a package's folder ``prompts``, or in a folder of the user."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import DictLoader, StrictUndefined, TemplateError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from env_service.chat.asking import follow_up
from env_service.chat.client import Message

SUFFIX = ".jinja"


class TemplatesError(Exception):
    """A folder of prompts lacks one, or one cannot be rendered."""


class Templates:
    """A set of prompts. They run in a sandbox; an undefined name is an error.

    ``digest`` is the SHA-256 (hex) of the whole set.
    """

    def __init__(self, package: str, names: Sequence[str], folder: Path | None = None) -> None:
        """Reads all of ``names``, files without their ending ".jinja".

        Args:
            package: Contains them in its folder "prompts".
            folder: Replaces that folder.

        Raises:
            TemplatesError: One of them does not exist.
        """
        places = {each: _place(package, folder) / f"{each}{SUFFIX}" for each in names}
        texts = {f"{each}{SUFFIX}": _read(place, names) for each, place in places.items()}
        sheet = "".join(f"{name}\0{text}\0" for name, text in sorted(texts.items()))
        self.digest = hashlib.sha256(sheet.encode()).hexdigest()
        self._environment = ImmutableSandboxedEnvironment(
            loader=DictLoader(texts),
            undefined=StrictUndefined,
            # The texts go to a model, not into a page.
            autoescape=False,
        )

    def fill(self, name: str, **names: Any) -> str:
        """Renders one of them, without white space around it. Raises TemplatesError."""
        try:
            return self._environment.get_template(f"{name}{SUFFIX}").render(names).strip()
        except TemplateError as error:
            raise TemplatesError(
                f"the prompt {name}{SUFFIX} cannot be filled in: {error}"
            ) from error

    def again(self, asked: Sequence[Message], reply: str, name: str, **names: Any) -> list[Message]:
        """Asks once more, with the unusable reply and the prompt ``name``, which says why."""
        return follow_up(asked, reply, self.fill(name, **names))


def _place(package: str, folder: Path | None) -> Any:
    return files(package) / "prompts" if folder is None else folder


def _read(place: Any, names: Sequence[str]) -> str:
    try:
        text: str = place.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise TemplatesError(
            f"the prompt {place} cannot be read ({error}); a folder of prompts has"
            f" {', '.join(f'{each}{SUFFIX}' for each in names)}"
        ) from error
    return text
