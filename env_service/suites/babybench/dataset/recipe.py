"""What a data set is made from: everything that its content follows from, and its formats."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import metadata
from typing import Any

from env_service.suites.babybench.dataset.columns import SCHEMA_VERSION
from env_service.suites.babybench.dataset.formats import Format
from env_service.suites.babybench.seeds import Seeds

_MAKERS = ("houseguest", "minigrid", "gymnasium", "numpy")
"""Distributions whose versions could change a row."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """A data set that is asked for.

    ``question`` is one of columns.QUESTIONS, ``levels`` are names of the question's levels, in
    order, ``formatter`` is one of formatters.FORMATTERS, ``expert`` the value of an ExpertMode.
    """

    question: str
    levels: tuple[str, ...]
    seeds: Seeds
    formatter: str
    expert: str
    formats: tuple[Format, ...]

    def __len__(self) -> int:
        """How many rows it comes to, where none fails."""
        return len(self.levels) * len(self.seeds)

    def document(self) -> dict[str, Any]:
        """As JSON: what the manifest says of it, versions included."""
        return {
            "schema_version": SCHEMA_VERSION,
            "question": self.question,
            "levels": list(self.levels),
            "seeds": str(self.seeds),
            "formatter": self.formatter,
            "expert_mode": self.expert,
            "formats": [form.value for form in self.formats],
            "made_with": {name: metadata.version(name) for name in _MAKERS},
        }

    @staticmethod
    def read(document: Mapping[str, Any]) -> Recipe:
        """From what ``document`` made. Raises KeyError, TypeError and ValueError."""
        return Recipe(
            question=str(document["question"]),
            levels=tuple(map(str, document["levels"])),
            seeds=Seeds.read(document["seeds"]),
            formatter=str(document["formatter"]),
            expert=str(document["expert_mode"]),
            formats=tuple(map(Format, document["formats"])),
        )


def differences(there: Mapping[str, Any], asked: Mapping[str, Any]) -> list[str]:
    """In what two documents of recipes differ, in words: "seeds: 1-10 there, 1-500 asked for"."""
    return [
        f"{name.replace('_', ' ')}: {_short(there.get(name))} there, {_short(value)} asked for"
        for name, value in asked.items()
        if there.get(name) != value
    ]


def _short(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {version}" for name, version in value.items())
    if isinstance(value, list):
        return ", ".join(map(str, value[:4])) + (f" and {len(value) - 4} more" * (len(value) > 4))
    return str(value)
