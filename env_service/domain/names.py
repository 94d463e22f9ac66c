"""Names that people type, and what they may have meant."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class UnknownNameError(ValueError):
    """A name that is not one of the valid ones. The message proposes the nearest.

    ``kind`` is what was looked for ("suite"), ``name`` what was given, ``nearest`` the
    closest valid name or None.
    """

    def __init__(self, kind: str, name: str, valid: Iterable[str]) -> None:
        names = list(valid)
        self.kind, self.name, self.nearest = kind, name, nearest(name, names)
        guess = f" Did you mean {self.nearest!r}?" if self.nearest else ""
        listed = ", ".join(names[:12]) + (", …" if len(names) > 12 else "")
        super().__init__(f"No {kind} named {name!r}.{guess} Valid: {listed or 'none'}.")


class MalformedNameError(UnknownNameError):
    """A name that does not have the form of its family. The message gives the form."""

    def __init__(self, kind: str, name: str, form: str) -> None:
        super().__init__(kind, name, ())
        self.args = (f"No {kind} named {name!r}: {form}.",)


def nearest(name: str, valid: Iterable[str]) -> str | None:
    """The valid name closest to ``name``, ignoring case; None when none is close."""
    by_folded = {candidate.casefold(): candidate for candidate in valid}
    found = difflib.get_close_matches(name.casefold(), by_folded, n=1, cutoff=0.5)
    return by_folded[found[0]] if found else None
