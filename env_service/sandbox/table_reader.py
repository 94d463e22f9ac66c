"""Reading a TOML table key by key, with messages that say what to mend."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from env_service.domain.names import UnknownNameError
from env_service.sandbox.errors import AgentSpecError


class TableReader:
    """One table of an agent's manifest. ``where`` begins every message.

    The readers raise AgentSpecError for a value of another type; a key that is absent gives
    the empty value of its type. ``check_keys`` finds the keys that nobody has read.
    """

    def __init__(self, where: str, values: object) -> None:
        if not isinstance(values, Mapping):
            raise AgentSpecError(f"{where} has to be a table")
        self.where = where
        self._values = values
        self._read: dict[str, None] = {}

    def text(self, key: str) -> str:
        """A string."""
        value = self._take(key, "")
        if not isinstance(value, str):
            raise self.error(f"{key} has to be a string")
        return value

    def scalar(self, key: str) -> str:
        """A string or a number, as text."""
        value = self._take(key, "")
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            raise self.error(f"{key} has to be a string or a number")
        return str(value)

    def switch(self, key: str, *, default: bool = False) -> bool:
        """True or false."""
        value = self._take(key, default)
        if not isinstance(value, bool):
            raise self.error(f"{key} has to be true or false")
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of strings."""
        value = self._take(key, [])
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise self.error(f"{key} has to be a list of strings")
        return tuple(value)

    def table(self, key: str) -> TableReader:
        """A table below this one."""
        return TableReader(f"{self.where}, [{key}]", self._take(key, {}))

    def tables(self, key: str) -> Iterator[TableReader]:
        """A list of tables."""
        value = self._take(key, [])
        if not isinstance(value, list):
            raise self.error(f"{key} has to be a list of tables, [[{key}]]")
        for number, item in enumerate(value, start=1):
            yield TableReader(f"{self.where}, [[{key}]] {number}", item)

    def check_keys(self) -> None:
        """Raises AgentSpecError for a key that was not read, with the nearest that was."""
        for key in self._values:
            if key not in self._read:
                raise self.error(str(UnknownNameError("key", key, self._read)))

    def error(self, problem: str) -> AgentSpecError:
        """The error that names this table."""
        return AgentSpecError(f"{self.where}: {problem}")

    def _take(self, key: str, default: object) -> object:
        self._read[key] = None
        return self._values.get(key, default)
