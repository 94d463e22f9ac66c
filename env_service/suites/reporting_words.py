"""An action as the words that a report shows of it."""

from __future__ import annotations

from env_service.domain.action import Action, Plan, SkillCall, Text, Unreadable

LONGEST = 60
"""Letters of an action that was said in free text; the rest is cut."""


def action_words(action: Action) -> tuple[str, ...]:
    """A skill with its arguments' values, such as "go to kitchen"; each step of a plan; the
    beginning of a text."""
    match action:
        case SkillCall(name, arguments):
            return (" ".join((name, *(value for _, value in arguments))),)
        case Plan(steps):
            return tuple(word for step in steps for word in action_words(step))
        case Text(text):
            return (said(text),)
        case Unreadable():
            return ("(unreadable)",)


def said(text: str) -> str:
    """A text in one line, at most LONGEST letters of it; "(nothing)" for none."""
    line = " ".join(text.split()) or "(nothing)"
    return line if len(line) <= LONGEST else line[: LONGEST - 1].rstrip() + "…"
