"""Reading a plan's JSON, with errors that say where."""

from __future__ import annotations

from typing import Any

from env_service.suites import json_node
from env_service.suites.json_node import DataError


class PlanError(DataError):
    """A plan cannot be read. ``source`` is its file or name, ``where`` the place in it."""


def load_json(text: str | bytes, source: str) -> Any:
    """The value that a text in JSON stands for. Raises PlanError where it is none."""
    return json_node.load_json(text, source, PlanError).value


class Node(json_node.Node):
    """A value of a plan, which knows where it stands. Every method raises PlanError."""

    __slots__ = ()

    def __init__(
        self, value: Any, source: str, where: str = "", kind: type[DataError] = PlanError
    ) -> None:
        super().__init__(value, source, where, kind)

    def texts(self) -> tuple[str, ...]:
        """As a list of texts; null is an empty one."""
        return () if self.value is None else super().texts()

    def absent(self) -> None:
        """As null, false or empty: what cannot be played must not be asked for."""
        if self.value:
            raise self.error(f"is {self.value!r:.60}, which is not supported; it has to be null")
