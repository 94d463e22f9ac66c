"""Takes off what models put around plans, and cuts a plan's text into calls and the words
between them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from env_service.suites.actplan.plans.verbs import WORDS, fold, meaning_of

WRAPPERS = frozenset(
    {"action", "actions", "do", "step", "steps", "execute", "perform", "act", "task", "plan", "run"}
    | {"call", "robot", "agent", "sequence", "begin", "block"}
    | {"perform_action", "execute_action", "do_action"}
)
"""Words that say nothing but that a step follows."""
LOOPS = frozenset({"repeat", "loop", "repeat_steps", "repeat_for", "for_each", "foreach", "times"})
"""Words that say that steps follow, and how often."""

_DEEPEST = 12
_COMMENT = r"//[^\n]*|/\*.*?(?:\*/|$)|(?<=[\w)] )[ \t]*#(?!\d)[^\n]*"
_COMMENT_ON_ONE_LINE = r"//(?:(?!(?<![\w/\-])[A-Za-z][\w/\-]*\()[^\n])*|/\*.*?(?:\*/|$)"
_PIECE = (
    r"(?P<comment>{comment})"
    r"|(?P<word>(?<![\w/\-])[A-Za-z][\w/\-]*)(?P<gap>[ \t]{{0,3}})\("
    r"|(?P<open>\()|(?P<close>\))|(?P<comma>,)|(?P<line>\n)"
)
_LINES = re.compile(_PIECE.format(comment=_COMMENT), re.DOTALL)
_ONE_LINE = re.compile(_PIECE.format(comment=_COMMENT_ON_ONE_LINE), re.DOTALL)
_WORDS_BEFORE = re.compile(r"(?<![A-Za-z])(?:[A-Za-z]+ ){1,3}$")
_LONGEST_VERB = 30
_PLURAL = frozenset({"s", "es", "ies"})


@dataclass(slots=True)
class Call:
    """A word with parentheses.

    Attributes:
        word: as spelled in the plan.
        parts: its arguments in order, each a text or a call.
        spelling: the whole of it, as the plan has it.
        indent: how many blanks stand right before it.
        closed: whether its parenthesis is closed.
    """

    word: str
    parts: list[str | Call] = field(default_factory=list)
    spelling: str = ""
    indent: int = 0
    closed: bool = True

    @property
    def texts(self) -> tuple[str, ...]:
        """Its arguments that are texts."""
        return tuple(part for part in self.parts if isinstance(part, str))

    @property
    def calls(self) -> tuple[Call, ...]:
        """Its arguments that are calls."""
        return tuple(part for part in self.parts if isinstance(part, Call))


@dataclass(frozen=True, slots=True)
class Words:
    """The text between calls; ``comment``: it was marked as a comment for people."""

    text: str
    comment: bool = False


@dataclass(slots=True)
class _Open:
    """A parenthesis that is not closed yet. ``call`` None: one without a word."""

    start: int
    call: Call | None
    text_from: int


def cut(text: str) -> Iterator[Call | Words]:
    """The calls of a text and the words between them, in order.

    Only words that are known to be verbs, wrappers or loops make calls with a blank before the
    parenthesis: "the table (the big one)" is none. A verb's parenthesis that does not close before
    its line ends, or before another step follows, makes a half call.
    """
    return _Cutter(text).cut()


def known(word: str) -> bool:
    """Whether a word can begin a step, or holds steps."""
    return fold(word) in WRAPPERS | LOOPS or meaning_of(word) is not None


def holds_steps(word: str) -> bool:
    """Whether a word's arguments are steps."""
    return fold(word) in WRAPPERS | LOOPS


class _Cutter:
    def __init__(self, text: str) -> None:
        self._text = text
        self._stack: list[_Open] = []
        self._too_deep = 0
        self._done = 0
        self._found: list[Call | Words] = []

    def cut(self) -> Iterator[Call | Words]:
        pattern = _LINES if "\n" in self._text.strip() else _ONE_LINE
        for match in pattern.finditer(self._text):
            self._take(match)
            if not self._stack:
                yield from self._found
                self._found.clear()
        self._close_halves(len(self._text))
        self._words(len(self._text))
        yield from self._found

    def _take(self, match: re.Match[str]) -> None:
        if match["comment"] is not None:
            self._comment(match)
        elif match["word"] is not None:
            self._head(match)
        elif match["open"] is not None:
            self._push(_Open(match.start(), None, match.end()))
        elif match["close"] is not None:
            self._close(match)
        elif match["comma"] is not None:
            self._argument(match.start(), match.end())
        elif not any(each.call and holds_steps(each.call.word) for each in self._stack):
            self._close_halves(match.start())

    def _comment(self, match: re.Match[str]) -> None:
        if not self._stack:
            self._words(match.start())
            self._found.append(Words(match.group(), comment=True))
            self._done = match.end()
        elif self._stack[-1].call is not None:
            self._argument(match.start(), match.end())

    def _head(self, match: re.Match[str]) -> None:
        holder = next((each.call for each in reversed(self._stack) if each.call), None)
        word, start = match["word"], match.start()
        if holder is None:
            word, start = self._with_words_before(word, start)
        if not self._is_call(match, word, holder) or len(self._stack) >= _DEEPEST:
            self._push(_Open(match.end() - 1, None, match.end()))
            return
        if holder is not None:
            self._argument(start, start)
        else:
            self._forget()
            self._words(start)
        call = Call(word, indent=_blanks_before(self._text, start))
        self._stack.append(_Open(start, call, match.end()))

    def _push(self, opened: _Open) -> None:
        if len(self._stack) < _DEEPEST:
            self._stack.append(opened)
        else:
            self._too_deep += 1

    def _is_call(self, match: re.Match[str], word: str, holder: Call | None) -> bool:
        among_steps = holder is None or holds_steps(holder.word)
        if match["gap"] or not among_steps:
            return known(word) and (among_steps or not match["gap"])
        return self._text[match.end() : match.end() + 4].partition(")")[0] not in _PLURAL

    def _with_words_before(self, word: str, start: int) -> tuple[str, int]:
        """A verb of several words: "place on top(table, cup)"."""
        before = _WORDS_BEFORE.search(self._text, max(self._done, start - _LONGEST_VERB), start)
        parts = before.group().split() if before else []
        for first in range(len(parts)):
            longer = " ".join([*parts[first:], word])
            if fold(longer) in WORDS:
                return longer, start - len(" ".join([*parts[first:], ""]))
        return word, start

    def _argument(self, end: int, resume: int) -> None:
        top = self._stack[-1] if self._stack else None
        if top is None or top.call is None:
            return
        text = self._text[top.text_from : end]
        if text.strip():
            top.call.parts.append(text.strip())
        top.text_from = resume

    def _close(self, match: re.Match[str]) -> None:
        if not self._stack or self._too_deep:
            self._too_deep = max(0, self._too_deep - 1)
            return
        self._argument(match.start(), match.end())
        opened = self._stack.pop()
        if opened.call is None:
            return
        opened.call.spelling = self._text[opened.start : match.end()]
        after = self._text[match.end() : match.end() + 40].lstrip()
        self._finish(opened.call, match.end(), nested=after[:1] in (",", ")"))

    def _finish(self, call: Call, end: int, *, nested: bool) -> None:
        """Hands a call to its parent if that continues; otherwise the parent is a half call."""
        while self._stack and self._stack[-1].call is None:
            self._stack.pop()
        holder = self._stack[-1] if self._stack else None
        if holder and holder.call and (nested or holds_steps(holder.call.word)):
            holder.call.parts.append(call)
            holder.text_from = end
            return
        self._leave_open()
        self._found.append(call)
        self._done = end

    def _close_halves(self, end: int) -> None:
        if any(each.call is not None for each in self._stack):
            self._argument(end, end)
            self._leave_open()
            self._done = end
        self._forget()

    def _leave_open(self) -> None:
        """All that is open turns out to have been left open."""
        for opened in self._stack:
            if opened.call is not None:
                opened.call.closed = False
                opened.call.spelling = self._text[opened.start : opened.text_from].strip()
                self._found.append(opened.call)
        self._forget()

    def _forget(self) -> None:
        self._stack.clear()
        self._too_deep = 0

    def _words(self, end: int) -> None:
        text = self._text[self._done : end]
        if text.strip():
            self._found.append(Words(text))
        self._done = max(self._done, end)


def _blanks_before(text: str, start: int) -> int:
    before = text[max(0, start - 40) : start]
    return len(before) - len(before.rstrip(" \t"))


# --- Taking off what models put around plans and arguments: fences, bullets, quotes, JSON

_FENCE = re.compile(r"```[\w+-]*|~~~[\w+-]*")
_NOISE = re.compile(
    r"(?im)^[-*+•># \t]*+(?:\(?(?:step|action)?[ \t#]*+\d++[.):\]-]++[ \t]*+)+|[`*•\"“”;]++"
)
"""Possessive throughout: rules of dashes, and indents, have to be read in linear time."""
_KEY = re.compile(r"^\w+[ \t]*(?:=|:(?=\s*\S))[ \t]*")
_QUOTES = "\"'`“”‘’*<>[]{}. \t\n"
_EDGES = " \"'`*.,;:-–—•|()[]{}<>→="
_LISTS = ("plan", "steps", "actions", "action_plan", "sequence", "result", "answer", "output")
_VERBS = ("action", "verb", "skill", "name", "command", "step", "function", "act", "type")
_TARGETS = frozenset(
    {"target", "receptacle", "location", "destination", "container", "place", "surface", "where"}
    | {"to", "to_object", "on", "into"}
)
_OTHERS = frozenset(
    {"number", "step_number", "id", "index", "reason", "thought", "explanation", "comment", "note"}
)
_MARKUP = re.compile(r"[(),]+")


def without_markup(text: str) -> str:
    """A text without byte order mark, carriage returns, code fences; a JSON list or object of steps
    as lines of calls."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\ufeff", "").replace("\x00", " ")
    bare = _FENCE.sub(" ", text)
    return _from_json(bare.strip()) or bare


def words_left(text: str) -> str:
    """What of the text between steps is words: no numbering, bullets, quotes, brackets."""
    bare = _NOISE.sub(" ", text)
    bare = " ".join(bare.split()).strip(_EDGES)
    return bare if any(each.isalpha() for each in bare) else ""


def argument(text: str) -> str:
    """An argument without quotes, brackets and the parameter's name: "cup" of 'object="cup"'."""
    return " ".join(_KEY.sub("", text.strip(_QUOTES)).strip(_QUOTES).split())


def _from_json(text: str) -> str:
    if not text.startswith(("[", "{")):
        return ""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return ""
    return "\n".join(_lines(value, 0))


def _lines(value: object, depth: int) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Sequence) and depth < 4:
        for each in value:
            yield from _lines(each, depth + 1)
    elif isinstance(value, Mapping) and depth < 4:
        lower = {str(key).lower(): each for key, each in value.items()}
        listed = next((lower[key] for key in _LISTS if isinstance(lower.get(key), list)), None)
        if listed is not None:
            yield from _lines(listed, depth + 1)
        else:
            yield _call(lower)


def _call(step: Mapping[str, object]) -> str:
    """One step of a JSON plan as a call, its target first where keys tell which it is."""
    key = next((key for key in _VERBS if isinstance(step.get(key), str)), None)
    if key is None:
        return ""
    spelling = str(step[key])
    if "(" in spelling:
        return spelling
    rest = {name: value for name, value in step.items() if name != key and name not in _OTHERS}
    ordered = sorted(rest, key=lambda name: name not in _TARGETS)
    values = [text for name in ordered for text in _texts(rest[name])]
    return f"{_MARKUP.sub(' ', spelling).strip().replace(' ', '_')}({', '.join(values)})"


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, Mapping):
        value = [value[name] for name in sorted(value, key=lambda name: name not in _TARGETS)]
    if isinstance(value, list):
        for each in value:
            if isinstance(each, str):
                yield _MARKUP.sub(" ", each)
    elif isinstance(value, str) and value.strip():
        yield _MARKUP.sub(" ", value)
