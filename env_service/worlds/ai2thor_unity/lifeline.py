"""A pipe that is never written to: a reader sees its end as soon as this process ends, in whatever
way."""

from __future__ import annotations

import fcntl
import os
import weakref

_STANDARD = 3
"""Descriptors below it are a program's standard ones, which a child's own replace."""


class Lifeline:
    """Only this process has the writing end: programs that it starts do not inherit it, and a
    forked child closes it. Without references the lifeline closes itself."""

    def __init__(self) -> None:
        """Raises OSError if the process has no more descriptors."""
        self.reading = self._writing = -1
        reading, self._writing = os.pipe()
        self.reading = _above_standard(reading)
        _LINES.add(self)

    @property
    def closed(self) -> bool:
        """Whether the end has come."""
        return self._writing < 0

    def hand_over(self) -> None:
        """Closes the reading end ``reading``, once somebody else has it; a second call does
        nothing."""
        descriptor, self.reading = self.reading, -1
        _close(descriptor)

    def close(self) -> None:
        """Signals the end, and closes what is still open; a second call does nothing."""
        self.hand_over()
        descriptor, self._writing = self._writing, -1
        _close(descriptor)

    def __del__(self) -> None:
        self.close()


def _close(descriptor: int) -> None:
    if descriptor >= 0:
        os.close(descriptor)


def _above_standard(descriptor: int) -> int:
    """The same pipe under a number that a child can keep, also where this process closed its
    standard descriptors."""
    if descriptor >= _STANDARD:
        return descriptor
    try:
        return fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, _STANDARD)
    finally:
        os.close(descriptor)


_LINES: weakref.WeakSet[Lifeline] = weakref.WeakSet()


def _let_go() -> None:
    for line in list(_LINES):
        line.close()


os.register_at_fork(after_in_child=_let_go)
