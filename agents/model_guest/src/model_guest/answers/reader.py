"""The form of answer that a prompt set asks for, and the reading of a model's reply."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any

from houseguest_agent import ActionSpace, EndReason, Mode, Plan, SkillCall, Text

from ..model import Finish, Reply
from .calls import CallReader, match_name
from .loose_json import LONGEST, find_values

FIELDS = ("thought", "plan", "memory")
"""What a reply may hold in addition to its action. Plan and memory appear in the next prompt."""

ENDINGS = ("done", "give_up")
"""How a model may end an episode itself, if its prompt set offers that."""


class Form(Enum):
    """How a reply contains an action."""

    JSON = "json"
    """An object with the fields and the action."""
    CALL = "call"
    """Text with skill calls: one after the marker, or, for a plan, one per line."""
    WORDS = "words"
    """Text, which the service parses by the suite's rules."""


@dataclass(frozen=True, slots=True)
class Section:
    """A field inside a text, from after ``start`` to the first of ``until`` or to the end.

    Letter case does not matter. If one of ``until`` begins with a line break, it ends the section
    at a line that begins with it, with or without Markdown in front.

    Attributes:
        header: ``start`` is a header: if lines follow, the rest of the line belongs to it.
        paragraph: A blank line ends the section.
        anywhere: If the answer lacks the section, it may be in the text before the answer.
    """

    start: str
    until: tuple[str, ...] = ()
    header: bool = False
    paragraph: bool = False
    anywhere: bool = False


@dataclass(frozen=True, slots=True)
class AnswerForm:
    """The form of the answer in one mode.

    Attributes:
        fields: The fields in use.
        marker: In texts, the word before the action; its last occurrence counts.
        begin: In texts, the word with which the answer begins, if it occurs; text before it is a
            thought.
        pattern: How the service finds an action in words: the first group of the last match.
            Used only for the history.
        sections: In texts, where to find the fields.
        endings: The endings on offer.
        behind: In words, the marker before the text that the service gets, if it occurs; its last
            occurrence counts, and text before it is a thought.
        unlisted: Skills that are not among the candidates of a model that chooses.
    """

    form: Form = Form.JSON
    fields: tuple[str, ...] = ()
    marker: str = ""
    begin: str = ""
    pattern: re.Pattern[str] | None = None
    sections: Mapping[str, Section] = field(default_factory=dict)
    endings: tuple[str, ...] = ()
    behind: str = ""
    unlisted: tuple[str, ...] = ()


# --- Reading a reply

Action = SkillCall | Plan | Text | EndReason
_ENDINGS = {"done": EndReason.AGENT_DONE, "give_up": EndReason.AGENT_GAVE_UP}
_AS_ASKED = ("line", "parentheses")
_STEPS_KEYS = ("steps", "plan", "actions", "action_sequence", "action")
_ANSWER_KEYS = ("answer", "final_answer", "response", "result")


@dataclass(frozen=True, slots=True)
class Answer:
    """The content of a reply.

    Attributes:
        action: A Text if no other action could be read.
        understood: Whether the reply had the requested form, repairs included.
        repairs: The tolerated deviations, counted by name.
        plan: The plan that the model carries to its next turn.
        memory: The notes that the model carries to its next turn.
    """

    action: Action
    understood: bool = True
    thought: str = ""
    plan: str = ""
    memory: str = ""
    repairs: Mapping[str, int] = field(default_factory=dict)

    @property
    def plan_length(self) -> int:
        """The number of lines of the plan."""
        return sum(1 for line in self.plan.splitlines() if line.strip())


class AnswerReader:
    """Reads the replies of one episode. It never raises and never invents an action: a reply that
    it cannot read becomes a Text with the model's words."""

    def __init__(
        self,
        space: ActionSpace,
        mode: Mode,
        form: AnswerForm,
        candidates: Mapping[str, SkillCall] | None = None,
    ) -> None:
        """``candidates`` maps replies to calls, if the model chose among candidates."""
        self._mode, self._form = mode, form
        self._calls = CallReader(space, form.endings)
        self._candidates = candidates or {}

    def read(self, reply: Reply) -> Answer:
        """The answer in the reply."""
        chosen = self._candidates.get(reply.text)
        if chosen is not None:
            return Answer(chosen, thought=reply.reasoning)
        spoken = split_thinking(reply.text)
        thinking = reply.reasoning or spoken.thinking
        if reply.finish is Finish.REFUSED:
            return Answer(
                Text(reply.text), understood=False, thought=thinking, repairs={"refusal": 1}
            )
        repairs: Counter[str] = Counter()
        if spoken.thinking and not (self._form.form is Form.WORDS and self._form.begin):
            repairs["thinking_tags"] += 1
        answer = self._read_spoken(spoken, reply.finish, repairs)
        if answer is None:
            return Answer(
                Text((spoken.thinking and spoken.answer) or reply.text),
                understood=False,
                thought=thinking,
                repairs=repairs,
            )
        action = self._ended(answer.action)
        thought = answer.thought or thinking
        return replace(answer, action=action, thought=thought, repairs=repairs)

    def _read_spoken(self, spoken: Spoken, finish: Finish, repairs: Counter[str]) -> Answer | None:
        answer = self._read_text(spoken.answer, repairs, spoken.thinking) if spoken.answer else None
        if answer is None and spoken.unclosed and not spoken.answer and finish is Finish.STOP:
            # The model finished, so its answer can only be inside the unclosed thinking.
            answer = self._read_text(spoken.thinking, repairs)
            if answer is not None:
                repairs["unclosed_thinking"] += 1
        return answer

    def _ended(self, action: Action) -> Action:
        if isinstance(action, SkillCall) and action.name in self._form.endings:
            return _ENDINGS[action.name]
        return action

    def _read_text(self, text: str, repairs: Counter[str], before: str = "") -> Answer | None:
        """``before`` is what the model wrote before the text."""
        if self._form.form is Form.WORDS:
            return self._read_words(text, before)
        if self._form.form is Form.CALL and (found := self._read_calls(text, repairs)):
            return found
        if found := self._read_json(text, repairs):
            return found
        return self._read_last_line(text, repairs)

    def _read_words(self, text: str, before: str) -> Answer:
        thought, text = split_behind(text, self._form.behind)
        aloud, answer = split_answer(text, self._form.begin)
        carried = cut_sections(answer, self._form.sections, f"{before}\n{aloud}")
        read = _answer(Text(text), {"thought": thought or aloud.strip(), **carried})
        return replace(read, understood=bool(said_action(text, self._form)))

    def _read_calls(self, text: str, repairs: Counter[str]) -> Answer | None:
        text = text[-LONGEST:]
        place = after_last(text, self._form.marker)
        if place is None:
            return None
        lines = [line for line in place.splitlines() if line.strip(" `\t")]
        carried = cut_sections(text, self._form.sections)
        tried: Counter[str] = Counter()
        wanted = lines if self._mode is Mode.PLAN else lines[:1]
        read = [self._calls.from_line(line, tried) for line in wanted]
        calls = tuple(call for call in read if call is not None)
        if not calls or len(calls) < len(read):
            return None
        # A line with a call in parentheses is exactly what the prompt asks for.
        repairs.update({name: n for name, n in tried.items() if name not in _AS_ASKED})
        return _answer(Plan(calls) if self._mode is Mode.PLAN else calls[0], carried)

    def _read_last_line(self, text: str, repairs: Counter[str]) -> Answer | None:
        """A bare call although JSON was requested: the whole reply, or its last line."""
        if self._mode is not Mode.STEPWISE:
            return None
        tried: Counter[str] = Counter()
        last = text.rstrip("`\n ").rpartition("\n")[2]
        for line in (text, last):
            if len(line) > 500 or (line is last and line != text and "action" not in line.lower()):
                continue
            call = self._calls.from_line(line, tried)
            if call is not None:
                repairs.update(tried)
                repairs["not_json"] += 1
                return Answer(call)
        return None

    def _read_json(self, text: str, repairs: Counter[str]) -> Answer | None:
        """The last value that is an answer; values with offered skills take precedence."""
        best: tuple[Answer, Counter[str]] | None = None
        surroundings = text.strip()
        values = _values(surroundings)
        bare = surroundings.startswith(("{", "[")) and surroundings.endswith(("}", "]"))
        for value, seen in values:
            if _is_aside(value) and not (bare and surroundings[0] == "[" and len(values) == 1):
                continue
            tried = Counter(seen)
            answer = self._from_value(value, tried)
            if answer is None or (best and self._offered(best[0]) and not self._offered(answer)):
                continue
            best = answer, tried
        if best is None:
            return None
        repairs.update(best[1])
        if len(values) > 1:
            repairs["several_values"] += 1
        if not bare:
            repairs["text_around"] += 1
        return best[0]

    def _offered(self, answer: Answer) -> bool:
        match answer.action:
            case SkillCall() as call:
                return self._calls.knows(call)
            case Plan(steps):
                return all(map(self._calls.knows, steps))
            case _:
                return True

    def _from_value(self, value: Any, repairs: Counter[str]) -> Answer | None:
        action: Action | None
        if self._mode is Mode.ANSWER:
            action = _as_words(value)
        elif self._mode is Mode.PLAN:
            action = self._as_plan(value, repairs)
        else:
            action = self._calls.from_value(value, repairs)
        if action is None:
            return None
        return _answer(action, self._carried(value) if isinstance(value, dict) else {})

    def _as_plan(self, value: Any, repairs: Counter[str]) -> Plan | None:
        if isinstance(value, dict):
            found = _lookup(value, _STEPS_KEYS, (list, dict))
            value = [value] if found is None else found
        if isinstance(value, dict):
            value = [value]
        if not isinstance(value, list):
            return None
        calls = [self._calls.from_value(each, repairs) for each in value]
        steps = tuple(call for call in calls if call is not None)
        return Plan(steps) if steps and len(steps) == len(calls) else None

    def _carried(self, value: Mapping[str, Any]) -> dict[str, str]:
        carried = {}
        for name in self._form.fields:
            key = match_name(name, value)
            if key is not None and not (name == "plan" and self._mode is Mode.PLAN):
                carried[name] = _as_lines(value[key])
        return carried


def _is_aside(value: Any) -> bool:
    """Whether a value is an answer only if the reply holds nothing else: a list of names may be
    the plan of an object that was cut off."""
    return isinstance(value, list) and not any(isinstance(each, dict) for each in value)


def _answer(action: Action, carried: Mapping[str, str]) -> Answer:
    thought, plan, memory = (carried.get(name, "") for name in FIELDS)
    return Answer(action, thought=thought, plan=plan, memory=memory)


def _values(text: str) -> list[tuple[Any, Counter[str]]]:
    """Every JSON value in a text, each with its tolerated deviations."""
    # The strict reader accepts lone surrogates, which cannot be sent on.
    if "\\ud" not in text.lower():
        try:
            return [(json.loads(text), Counter())]
        except (ValueError, RecursionError):
            pass
    found = []
    repairs: Counter[str] = Counter()
    for value in find_values(text, repairs):
        found.append((value, Counter(repairs)))
        repairs.clear()
    return found


def _lookup(value: Mapping[str, Any], names: tuple[str, ...], kinds: tuple[type, ...]) -> Any:
    for name in names:
        key = match_name(name, value)
        if key is not None and isinstance(value[key], kinds):
            return value[key]
    return None


def _as_words(value: Any) -> Text | None:
    if not isinstance(value, dict):
        return None
    found = _lookup(value, _ANSWER_KEYS, (str, list, dict, int, float))
    if found is None:
        return None
    return Text(found if isinstance(found, str) else json.dumps(found, ensure_ascii=False))


def _as_lines(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, list):
        return "\n".join(_as_lines(each) for each in value)
    return json.dumps(value, ensure_ascii=False)


# --- Finds the parts of a text that a prompt set marks

_DECORATION = " \t\r\n:*#_`"
_BLANK_LINE = re.compile(r"\n[ \t\r]*(?:\n|$)")


def after_last(text: str, marker: str) -> str | None:
    """The text after the last occurrence of ``marker``; the whole text if the marker is empty.

    None if the marker does not occur. Letter case does not matter.
    """
    if not marker:
        return text
    found = list(re.finditer(re.escape(marker), text, re.IGNORECASE))
    return text[found[-1].end() :] if found else None


def split_answer(text: str, begin: str) -> tuple[str, str]:
    """The text before the answer, and the answer, which starts at the first ``begin``.

    Without one, or with an empty ``begin``, everything is the answer.
    """
    place = text.find(begin) if begin else -1
    return ("", text) if place < 0 else (text[:place], text[place:])


def split_behind(text: str, behind: str) -> tuple[str, str]:
    """The text before the last ``behind``, and the text after it, which the service gets.

    If it does not occur, or nothing follows it, the service gets everything. Letter case does not
    matter.
    """
    found = list(re.finditer(re.escape(behind), text, re.IGNORECASE)) if behind else []
    sent = text[found[-1].end() :].strip(_DECORATION) if found else ""
    return (text[: found[-1].start()].strip(_DECORATION), sent) if sent else ("", text)


def said_action(text: str, form: AnswerForm) -> str:
    """The action in a text as the service reads it, on one line; "" if it finds none.

    The whole text if the form does not define how the service reads.
    """
    if form.pattern is None:
        return text
    _, answer = split_answer(text, form.begin)
    found = [match.group(1) for match in form.pattern.finditer(answer)]
    return " ".join(found[-1].split()) if found else ""


def cut_sections(text: str, sections: Mapping[str, Section], elsewhere: str = "") -> dict[str, str]:
    """The sections in a text, without white space and decoration around them.

    Sections that may be anywhere are also searched in ``elsewhere``.
    """
    found = {}
    for name, section in sections.items():
        cut = _cut(text, section)
        if cut is None and section.anywhere:
            cut = _cut(elsewhere, section)
        if cut is not None:
            found[name] = cut
    return found


def _cut(text: str, section: Section) -> str | None:
    start = re.search(re.escape(section.start), text, re.IGNORECASE)
    if start is None:
        return None
    rest = text[start.end() :]
    ends = (re.search(_end(end), rest, re.IGNORECASE) for end in section.until)
    rest = rest[: min((each.start() for each in ends if each), default=len(rest))]
    if section.header:
        head, _, below = rest.partition("\n")
        rest = below if below.strip(_DECORATION) else head
    if section.paragraph:
        rest = _BLANK_LINE.split(rest.lstrip(_DECORATION), maxsplit=1)[0]
    return rest.strip(_DECORATION)


def _end(end: str) -> str:
    if not end.startswith("\n"):
        return re.escape(end)
    return r"\n[ \t>*#_`]*" + re.escape(end[1:])


# --- Separates a model's thinking from its answer

_NAMES = "think|thinking|thought|thoughts|reasoning|reflection|seed:think"
_TAG = re.compile(
    rf"(?P<open><(?:{_NAMES})>|◁think▷|\[THINK\])|(?P<close></(?:{_NAMES})>|◁/think▷|\[/THINK\])",
    re.IGNORECASE,
)

_CHANNEL = re.compile(
    r"<\|channel\|>\s{0,8}(\w{1,40})\b[^<]{0,200}(?:<\|constrain\|>[^<]{0,100})?<\|message\|>"
)
"""A part of a reply in the format of OpenAI's gpt-oss models ("harmony")."""
_CHANNEL_END = re.compile(r"<\|(?:end|return|call|start)\|>")


@dataclass(frozen=True, slots=True)
class Spoken:
    """A reply in two parts. ``unclosed``: a thinking tag was opened but not closed."""

    thinking: str
    answer: str
    unclosed: bool = False


def split_thinking(text: str) -> Spoken:
    """Separates thinking from answer, and strips white space around both.

    Recognizes the tags of common open models. If a closing tag has no opening one, everything
    before it is thinking: some servers put the opening tag into the prompt.
    """
    if _CHANNEL.search(text):
        return _by_channel(text)
    thoughts: list[str] = []
    answers: list[str] = []
    position, inside = 0, False
    for tag in _TAG.finditer(text):
        before = text[position : tag.start()]
        closing = tag.group("close") is not None
        if inside or closing:
            if not closing:
                continue
            if not inside:
                # The text so far counted as the answer, but was thinking too.
                thoughts += answers
                answers.clear()
            thoughts.append(before)
        else:
            answers.append(before)
        inside, position = not closing, tag.end()
    (thoughts if inside else answers).append(text[position:])
    return _joined(thoughts, answers, unclosed=inside)


def _by_channel(text: str) -> Spoken:
    thoughts: list[str] = []
    answers: list[str] = []
    heads = list(_CHANNEL.finditer(text))
    for head, after in zip(heads, [*heads[1:], None], strict=True):
        body = text[head.end() : after.start() if after else len(text)]
        stop = _CHANNEL_END.search(body)
        if stop:
            body = body[: stop.start()]
        (answers if head.group(1) == "final" else thoughts).append(body)
    return _joined(thoughts, answers, unclosed=not answers)


def _joined(thoughts: list[str], answers: list[str], *, unclosed: bool = False) -> Spoken:
    thinking = "\n".join(filter(None, map(str.strip, thoughts)))
    return Spoken(thinking, "".join(answers).strip(), unclosed)
