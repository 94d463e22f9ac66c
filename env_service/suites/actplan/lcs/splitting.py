"""Plans as the steps that are compared: texts, as they are written."""

from __future__ import annotations

from enum import Enum

from env_service.suites.actplan.dataset.steps import split_steps


class Mode(Enum):
    """How plans are compared."""

    CLEAN = "clean"
    """Blank lines do not count; a plan is compared with all gold plans of its instance, and one
    that has none is not scored."""
    COMPAT = "compat"
    """As the published script does: the newline at a file's end makes an empty last step; each
    model is compared with one of the golds; a plan that has no gold with itself (spec: actplan.md
    section 4)."""


def steps_of(text: str, mode: Mode) -> tuple[str, ...]:
    """A plan's steps, one a line. A plan whose steps all stand on one line, as in the published
    pairs, is parted into them; in `Mode.COMPAT` the newline of its lost file is put back."""
    unfolded = _unfold(text)
    if mode is Mode.COMPAT:
        return tuple(unfolded.split("\n"))
    return tuple(line for line in map(str.strip, unfolded.splitlines()) if line)


def _unfold(text: str) -> str:
    if "\n" in text.strip():
        return text.replace("\r\n", "\n")
    steps = split_steps(text)
    return "".join(f"{step}\n" for step in steps) if len(steps) > 1 else text
