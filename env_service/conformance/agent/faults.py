"""Which call suffers which fault."""

from __future__ import annotations

from collections.abc import Iterable

from env_service.conformance.agent.journal import Clock
from env_service.conformance.agent.script import Fault, Moment

Key = tuple[str | int, ...]


class Faults:
    """Hands out the faults of a script, call by call."""

    def __init__(self, faults: Iterable[Fault], clock: Clock) -> None:
        self._faults, self._clock = tuple(faults), clock
        self._seen: dict[Moment, list[Key]] = {moment: [] for moment in Moment}
        self._suffered: dict[Fault, int] = {}
        self._since: dict[Fault, float] = {}
        self.struck: set[Fault] = set()
        """The faults that some call has met."""

    def take(self, moment: Moment, key: Key) -> Fault | None:
        """The fault that this call meets; ``key`` is the same for a call and its repeats."""
        seen = self._seen[moment]
        if key not in seen:
            seen.append(key)
        place = seen.index(key)
        for fault in self._faults:
            if fault.moment is moment and fault.at == place and self._lasts(fault):
                self._suffered[fault] = self._suffered.get(fault, 0) + 1
                self.struck.add(fault)
                return fault
        return None

    def _lasts(self, fault: Fault) -> bool:
        if fault.seconds:
            return self._clock() - self._since.setdefault(fault, self._clock()) < fault.seconds
        return self._suffered.get(fault, 0) < fault.times
