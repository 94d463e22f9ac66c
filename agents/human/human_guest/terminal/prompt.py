"""One turn in the terminal: a command, a skill, a plan or an answer, as a person types it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Sequence

from houseguest_agent import ActionSpace, Parameter, Plan, Skill, SkillCall, Text

from ..player import Act, Command, End
from ..view import EpisodeView, View
from .display import TAKEN_BACK, Console, EpisodeDisplay

_HELP = {
    "help": "this list",
    "look": "what you see, once more",
    "goal": "the goal and the rules, once more",
    "actions": "what you can do, once more",
    "history": "your actions and their outcomes",
    "say TEXT": "act with a text, if the episode accepts text",
    "done": "the goal is reached: ends the episode",
    "giveup": "ends the episode; it counts",
    "quit": "leaves; the open episode does not count, and the same command continues later",
}
_SHORT = {"?": "help", "q": "quit", "exit": "quit", "h": "history", "l": "look", "give": "giveup"}
_ALL = ("help", "look", "goal", "actions", "history", "say", "done", "giveup", "quit")
_SLIP = re.compile(r"/[a-z]+")
"""A line that looks like a command."""
_PLAN_HELP = (
    "A plan: one action per line, carried out in this order. /undo removes the last one, /send"
    " sends the plan, /help shows more, /quit leaves."
)
_ANSWER_HELP = (
    "Your answer may have several lines. A line with a single dot sends it, /again starts over,"
    " /help shows more, /quit leaves."
)


class LeaveNow(Exception):  # noqa: N818 - a wish, not an error
    """The person wants to leave."""


class TurnPrompt:
    """Asks for one command."""

    def __init__(self, console: Console, stage: EpisodeDisplay) -> None:
        self._console, self._stage = console, stage

    def command(self, view: View) -> Command:
        """What the person decides. Raises LeaveNow."""
        episode = view.episode
        if episode is None:
            raise RuntimeError("a turn needs an episode")
        ways: dict[str, Callable[[View, EpisodeView], Command]]
        ways = {"plan": self._plan, "answer": self._answer}
        return ways.get(episode.mode, self._step)(view, episode)

    # --- one action

    def _step(self, view: View, episode: EpisodeView) -> Command:
        left = self._stage.left(view)
        prompt = f"({left}) > " if left else "> "
        while True:
            line = self._line(prompt, episode)
            if not line.strip():
                continue
            decided = self._obey(line, view, episode)
            if decided is not None:
                return decided
            if self._is_command(line, episode):
                continue
            if (call := self._call(line, episode)) is not None:
                return Act(call)

    def _call(self, line: str, episode: EpisodeView) -> SkillCall | None:
        try:
            return read_call(line, episode.space, self._argument)
        except TypingError as error:
            self._console.say(f"{error} /help shows what you can type.")
        except TAKEN_BACK:
            if not self._console.is_terminal:
                raise
            self._console.say("\nNothing done.")
        return None

    def _argument(self, parameter: Parameter) -> str:
        choices = parameter.choices
        if choices:
            self._console.columns([f"{i:>4} {each}" for i, each in enumerate(choices, start=1)])
        return self._console.ask(f"  {parameter.name}: ", choices)

    # --- a plan

    def _plan(self, view: View, episode: EpisodeView) -> Command:
        self._console.say(_PLAN_HELP)
        steps: list[SkillCall] = []
        while True:
            line = self._line(f"{len(steps) + 1:>3}. ", episode)
            if line.strip() in ("/send", "."):
                if steps or self._console.confirm("Send an empty plan?"):
                    return Act(Plan(tuple(steps)))
            elif line.strip() == "/undo":
                self._console.say(f"Without {steps.pop().name}." if steps else "The plan is empty.")
            elif line.strip():
                decided = self._obey(line, view, episode)
                if decided is not None:
                    return decided
                if self._is_command(line, episode):
                    continue
                if (call := self._call(line, episode)) is not None:
                    steps.append(call)

    # --- an answer

    def _answer(self, view: View, episode: EpisodeView) -> Command:
        if episode.space.answer_format:
            self._console.raw("")
            self._console.heading("How to answer")
            self._console.say(episode.space.answer_format)
        self._console.say(_ANSWER_HELP)
        lines: list[str] = []
        while True:
            line = self._line("| ", episode)
            if line.strip() == ".":
                if "".join(lines).strip():
                    return Act(Text("\n".join(lines)))
                self._console.say("The answer is empty.")
            elif line.strip() == "/again":
                lines.clear()
            elif line.startswith("/") and self._is_command(line, episode):
                decided = self._obey(line, view, episode)
                if decided is not None:
                    return decided
            elif _SLIP.fullmatch(line.strip()):
                self._console.say(f"{line.strip()} is not a command, nor part of your answer.")
            else:
                lines.append(line)

    # --- commands

    def _line(self, prompt: str, episode: EpisodeView) -> str:
        """Reads one line. A first Ctrl-C or Ctrl-D asks, a second one leaves; a pipe just ends."""
        names = [skill.name for skill in episode.space.skills]
        choices = [c for s in episode.space.skills for p in s.parameters for c in p.choices]
        words = [*names, *dict.fromkeys(choices), *(f"/{name}" for name in _ALL)]
        try:
            return self._console.ask(prompt, words)
        except TAKEN_BACK:
            if not self._console.is_terminal:
                raise
            self._console.raw("")
            self._console.say("Once more to leave. The open episode will not count.")
            return self._console.ask(prompt, words)

    def _is_command(self, line: str, episode: EpisodeView) -> bool:
        return _command(line, episode) is not None

    def _obey(self, line: str, view: View, episode: EpisodeView) -> Command | None:
        """Carries out a command; returns the decision, if it is one. Raises LeaveNow."""
        name = _command(line, episode)
        if name == "quit":
            if not self._console.is_terminal or self._console.confirm("Leave?"):
                raise LeaveNow
        elif name == "giveup":
            if self._console.confirm("Give this episode up? It counts."):
                return End(done=False)
        elif name == "done":
            if self._console.confirm("Is the goal reached? This ends the episode."):
                return End(done=True)
        elif name == "say":
            return self._say(line, episode)
        elif name is not None:
            self._show(name, view, episode)
        return None

    def _say(self, line: str, episode: EpisodeView) -> Command | None:
        words = line.strip().partition(" ")[2].strip()
        if not episode.takes_words:
            self._console.say("This episode accepts no text: choose an action.")
        elif not words:
            rules = [text.text for text in episode.texts if text.name == "answer_rules"]
            self._console.say("\n".join(["Type your text after it: /say TEXT", *rules]))
        else:
            return Act(Text(words))
        return None

    def _show(self, name: str, view: View, episode: EpisodeView) -> None:
        if name == "help":
            for usage, meaning in _HELP.items():
                self._console.row(f"  /{usage:<9} ", meaning)
            self._console.say("An action is its number or name with its arguments, as 1 or 1 Mug.")
        elif name == "look" and view.scene is not None:
            self._stage.scene(episode, view.scene)
        elif name == "goal":
            self._stage.opening(episode)
        elif name == "actions":
            self._stage.skills(episode)
        elif name == "history":
            self._stage.history(view.history)


def _command(line: str, episode: EpisodeView) -> str | None:
    """The command of a line; None if it is an action. A bare word that is also a skill's name is
    the skill."""
    word = line.split(maxsplit=1)[0].lower() if line.strip() else ""
    if not word.startswith("/") and is_skill(line, episode.space):
        return None
    name = word.removeprefix("/")
    name = _SHORT.get(name, name)
    return name if name in _ALL else None


# --- From a typed line to an action


class TypingError(ValueError):
    """A line that cannot be understood; the message says what would be valid."""


Ask = Callable[[Parameter], str]
"""Asks the person for one argument and returns the typed text."""


def read_call(line: str, space: ActionSpace, ask: Ask) -> SkillCall:
    """Parses a skill by number or name with its arguments, and asks for missing ones.

    Names and choices may be typed in any case, without an article, and shortened while they are
    unambiguous; both may have several words. Raises TypingError.
    """
    words = _split(line)
    skill, taken = _leading_skill(words, space)
    given, parameters = words[taken:], skill.parameters
    if len(given) > len(parameters):
        given = _gather(given, parameters)
    arguments = {
        parameter.name: find_choice(given[i] if i < len(given) else ask(parameter), parameter)
        for i, parameter in enumerate(parameters)
    }
    return SkillCall(skill.name, arguments)


def find_skill(word: str, space: ActionSpace) -> Skill:
    """The skill with that number (from 1) or name. Raises TypingError."""
    if word.isdecimal():
        if 1 <= int(word) <= len(space.skills):
            return space.skills[int(word) - 1]
        raise TypingError(f"No action has the number {word}: choose from 1 to {len(space.skills)}.")
    name = _find(word, [skill.name for skill in space.skills], "action")
    return next(skill for skill in space.skills if skill.name == name)


def find_choice(word: str, parameter: Parameter) -> str:
    """A legal value by number (from 1) or name; any text if the parameter is free text.

    Raises TypingError.
    """
    word = word.strip()
    if not word:
        raise TypingError(f"Nothing done: {parameter.name} is missing.")
    choices = parameter.choices
    if not choices:
        return word
    if word in choices:
        return word
    if word.isdecimal() and 1 <= int(word) <= len(choices):
        return choices[int(word) - 1]
    return _find(word, choices, parameter.name)


def is_skill(line: str, space: ActionSpace) -> bool:
    """Whether the line begins with a skill's whole name."""
    return _named_in_full(line.split(), space) is not None


def _leading_skill(words: Sequence[str], space: ActionSpace) -> tuple[Skill, int]:
    """The skill that a line begins with, and the number of words in its name."""
    skill = _named_in_full(words, space)
    if skill is not None:
        return skill, len(skill.name.split())
    return find_skill(words[0], space), 1


def _named_in_full(words: Sequence[str], space: ActionSpace) -> Skill | None:
    """The skill with the longest name that these words begin with."""
    lower = [word.lower() for word in words]
    named = [each for each in space.skills if _begin(lower, each.name.lower().split())]
    return max(named, key=lambda skill: len(skill.name.split()), default=None)


def _begin(words: list[str], name: list[str]) -> bool:
    return words[: len(name)] == name


def _find(word: str, names: Sequence[str], kind: str) -> str:
    """The one matching name: exact, in another case, without its article, or as a prefix."""
    lower, bare = word.lower(), _bare(word)
    ways: tuple[Callable[[str], bool], ...] = (
        lambda name: name.lower() == lower,
        lambda name: _bare(name) == bare,
        lambda name: name.lower().startswith(lower),
        lambda name: _bare(name).startswith(bare),
    )
    meant = next(filter(None, (list(filter(way, names)) for way in ways)), [])
    if len(meant) == 1:
        return meant[0]
    if meant:
        raise TypingError(f"{word} could be {', '.join(meant)}.")
    raise TypingError(f"Unknown {kind} {word!r}. Choose from: {', '.join(names)}.")


def _bare(name: str) -> str:
    """The name in lower case, without an article."""
    return _ARTICLE.sub("", name.lower())


def _split(line: str) -> list[str]:
    try:
        words = shlex.split(line)
    except ValueError:
        # An apostrophe in free text is not a quotation mark.
        words = line.split()
    if not words or not words[0]:
        raise TypingError("Nothing done: no action was typed.")
    return words


def _gather(given: list[str], parameters: Sequence[Parameter]) -> list[str]:
    """Joins surplus words into the last argument, which may have several words."""
    if not parameters or not _of_words(parameters[-1]):
        raise TypingError(f"That is too much: the action takes {_arguments(len(parameters))}.")
    last = len(parameters) - 1
    return [*given[:last], " ".join(given[last:])]


def _of_words(parameter: Parameter) -> bool:
    """Whether a value may have more than one word."""
    return not parameter.choices or any(" " in choice for choice in parameter.choices)


def _arguments(count: int) -> str:
    return f"{count or 'no'} argument{'' if count == 1 else 's'}"


_ARTICLE = re.compile(r"^(?:an?|the)\s+")
