"""What is wrong with a definition."""

from __future__ import annotations


class BddlError(ValueError):
    """A definition that cannot be used.

    Attributes:
        source: what was read: a file's path, or a problem's name.
        line: from 1; 0 where no one line is to blame.
        column: from 1; 0 likewise.
        what: what is wrong.
        mend: what to do about it.
    """

    def __init__(self, source: str, line: int, column: int, what: str, mend: str) -> None:
        super().__init__(source, line, column, what, mend)
        self.source = source
        self.line = line
        self.column = column
        self.what = what
        self.mend = mend

    def __str__(self) -> str:
        place = f"{self.source}:{self.line}:{self.column}" if self.line else self.source
        return f"{place}: {self.what}; {self.mend}"
