"""How a task's command is worded: the paper's seven wordings (docs/alfred.md, "Task")."""

import re
from dataclasses import dataclass
from enum import Enum

from env_service.suites.alfred.task import AlfredTask


class Wording(Enum):
    """The values of the setting ``wording``, by the paper's names."""

    BASE = "B"
    PARAPHRASE_1 = "P1"
    PARAPHRASE_2 = "P2"
    CONTEXTUAL = "C"
    WITHOUT_CONTEXT = "C-without-context"
    KOREAN = "K"
    ORIGINAL = "original"


KEPT = ("B", "P1", "P2", "C", "K")
"""Those that `AlfredTask.commands` has a text for."""

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")


class NoCommandError(ValueError):
    """A task has no command in a wording. The message says what it has."""


@dataclass(frozen=True, slots=True)
class Command:
    """The agent's command. ``language`` is BCP 47; ``context`` is the sentence that was left out,
    empty if none was."""

    text: str
    language: str = "en"
    context: str = ""


def command_of(task: AlfredTask, wording: Wording) -> Command:
    """The command of a task in a wording; of its originals that of its annotation.

    Raises:
        NoCommandError: it has none in that wording, or no annotation is chosen.
    """
    if wording is Wording.ORIGINAL:
        if task.annotation is None or task.annotation >= len(task.originals):
            raise NoCommandError(
                f"task {task.id} names none of its original commands: name one as"
                f" {task.id}/N, with N below {len(task.originals)}"
            )
        return Command(task.originals[task.annotation].strip())
    contextual = wording in (Wording.CONTEXTUAL, Wording.WITHOUT_CONTEXT)
    key = Wording.CONTEXTUAL.value if contextual else wording.value
    text = task.commands.get(key)
    if text is None:
        had = ", ".join(task.commands) or "none"
        raise NoCommandError(f"task {task.id} has no command in the wording {key}; it has {had}")
    if wording is Wording.WITHOUT_CONTEXT:
        context, rest = split_context(text)
        return Command(rest, context=context)
    return Command(text, "ko" if wording is Wording.KOREAN else "en")


def whole_command(task: AlfredTask, command: Command) -> Command:
    """A command with the sentence that was left out, as the task has it; itself where none was."""
    return command_of(task, Wording.CONTEXTUAL) if command.context else command


def split_context(text: str) -> tuple[str, str]:
    """A contextual command as its first sentence, which gives the context, and the rest: the
    command itself. What has one sentence alone has no context."""
    first, _, rest = _split_once(text.strip())
    return (first, rest) if rest else ("", first)


def _split_once(text: str) -> tuple[str, str, str]:
    found = _SENTENCE_END.search(text)
    if found is None:
        return text, "", ""
    return text[: found.start()], found.group(), text[found.end() :]
