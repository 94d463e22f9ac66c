"""One episode as a conversation with a model.

A request starts with the parts that never change, then those that only grow; parts that change
every turn are at the very end. So each request begins like the previous one, and a server with a
prefix cache need not read that part again.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from houseguest_agent import EndReason as End
from houseguest_agent import (
    Episode,
    Mode,
    Observation,
    Outcome,
    Plan,
    SkillCall,
    Text,
)

from .answers.reader import Action, Answer, AnswerForm, Form, said_action
from .model import Message, Part, Picture, Role
from .pictures import Shown, show
from .prompt_set import PromptSet


@dataclass(slots=True)
class Window:
    """How much of the past to show: the number of turns, and of those with their pictures."""

    turns: int
    pictures: int


@dataclass(slots=True)
class _Turn:
    """One turn: its opening and, once it is over, the action."""

    shown: str
    pictures: tuple[Picture, ...] = ()
    kinds: tuple[Shown, ...] = ()
    captions: tuple[str, ...] = ()
    reply: str = ""
    past: str = ""


class Conversation:
    """An episode's messages. ``shrink`` can reduce ``window``."""

    def __init__(
        self, episode: Episode, prompts: PromptSet, window: Window, *, choosing: bool, sees: bool
    ) -> None:
        """Starts from a resumed episode's history, as far as the service returns it.

        ``sees``: whether the model gets pictures. Raises PromptError.
        """
        self._episode, self._prompts, self._window = episode, prompts, window
        self._sees = sees
        self._all_pictures_now = True
        self.form: AnswerForm = prompts.answer_form(episode.mode, episode.condition)
        self.plan = self.memory = ""
        self._common = {
            **_common(episode, self.form, choosing=choosing, sees=sees),
            "layout": prompts.manifest.layout,
            "settings": prompts.settle(episode.condition),
            "examples": prompts.examples(episode),
        }
        self._system = prompts.render("system", **self._common)
        self._task = prompts.render("task", **self._common)
        self._turns: list[_Turn] = []
        outcomes: tuple[Outcome, ...] = ()
        for number, past in enumerate(episode.history, start=1):
            self._open(outcomes)
            newest = number == len(episode.history)
            after = episode.observation.text if newest else ""
            self._close(Answer(past.action), past.outcomes, after)
            outcomes = past.outcomes
        self._open(outcomes, episode.observation)

    def _open(self, outcomes: Iterable[Outcome], seen: Observation | None = None) -> None:
        shown = self._prompts.render(
            "turn",
            **self._common,
            number=len(self._turns) + 1,
            outcomes=_told(outcomes),
            observation=seen.text if seen else "",
        )
        kinds, pictures = show(seen) if seen and self._sees else ((), ())
        self._turns.append(_Turn(shown, pictures, kinds, self._captions(kinds)))

    def _captions(self, kinds: Sequence[Shown]) -> tuple[str, ...]:
        number, count = len(self._turns) + 1, len(kinds)
        return tuple(
            self._prompts.render(
                "caption",
                **self._common,
                number=number,
                picture=asdict(kind),
                place=place,
                count=count,
            )
            for place, kind in enumerate(kinds, 1)
        )

    def _close(self, answer: Answer, outcomes: Sequence[Outcome], after: str = "") -> None:
        turn = self._turns[-1]
        values = {
            **self._common,
            **_as_data(answer.action, self.form),
            "number": len(self._turns),
            "place": 1 + sum(1 for past in self._turns if past.past),
            "thought": answer.thought,
            "plan": answer.plan,
            "memory": answer.memory,
            "outcomes": _told(outcomes),
            "after": after,
        }
        turn.reply = self._prompts.render("reply", **values)
        turn.past = self._prompts.render("past", **values)
        turn.kinds = ()

    def record(self, answer: Answer, outcomes: Sequence[Outcome]) -> None:
        """Records what the model did and its outcomes; the next turn begins.

        The plan and the notes of the newest reply replace the earlier ones. A reply that was not
        understood leaves them unchanged, except one in words, whose sections can still be read.
        """
        if answer.understood or self.form.form is Form.WORDS:
            self.plan, self.memory = answer.plan, answer.memory
        seen = self._episode.observation
        self._close(answer, outcomes, seen.text)
        self._open(outcomes, seen)

    def messages(self, extra: Sequence[Message] = ()) -> tuple[Message, ...]:
        """The messages of the next request; ``extra`` messages are at the end."""
        first = max(0, len(self._turns) - 1 - self._window.turns)
        said = list(self._opening(first))
        build = self._chat if self._prompts.manifest.layout == "chat" else self._single
        messages = [*build(first, said), *extra]
        system = [Message(Role.SYSTEM, (self._system,))] if self._system else []
        return tuple(system + messages)

    def _opening(self, omitted: int) -> list[Part]:
        task: list[Part] = [self._task] if self._task else []
        if omitted:
            task.append(self._prompts.render("omitted", **self._common, omitted=omitted))
        return task

    def _chat(self, first: int, said: list[Part]) -> list[Message]:
        messages = []
        for index, turn in enumerate(self._turns[first:-1], start=first):
            said += [turn.shown, *self._past_pictures(index, first)]
            messages.append(Message(Role.USER, _joined(said)))
            messages.append(Message(Role.ASSISTANT, (turn.reply or " ",)))
            said = []
        said += self._now(first)
        return [*messages, Message(Role.USER, _joined(said))]

    def _single(self, first: int, said: list[Part]) -> list[Message]:
        past: list[Part] = []
        for index, turn in enumerate(self._turns[first:-1], start=first):
            past += [*self._past_pictures(index, first), turn.past]
        if any(past):
            past = list(_joined(past, self._prompts.manifest.between))
        return [Message(Role.USER, _joined([*said, *past, *self._now(first)]))]

    def _past_pictures(self, index: int, first: int) -> list[Part]:
        turn = self._turns[index]
        if index < self._pictured_from(first) or self._stand_already(index, first):
            return []
        alone = not (self._all_pictures_now or self._prompts.manifest.repeats)
        most = 1 if alone else len(turn.pictures)
        return _captioned(turn.captions[:most], turn.pictures[:most])

    def _pictured_from(self, first: int) -> int:
        """The first turn to show with its pictures; ``first`` is the first turn to show at all."""
        return max(first, len(self._turns) - 1 - self._window.pictures)

    def _stand_already(self, index: int, first: int) -> bool:
        """Whether to omit a turn's pictures: they have not changed since a turn that is shown with
        them."""
        if self._prompts.manifest.repeats or index <= self._pictured_from(first):
            return False
        return self._turns[index].pictures == self._turns[index - 1].pictures

    def _now(self, first: int) -> list[Part]:
        turn = self._turns[-1]
        kinds, pictures, captions = turn.kinds, turn.pictures, turn.captions
        if self._stand_already(len(self._turns) - 1, first):
            kinds, pictures, captions = (), (), ()
        if not self._all_pictures_now and len(pictures) > 1:
            at = next((i for i, kind in enumerate(kinds) if kind.role == "current"), 0)
            kinds, pictures, captions = (kinds[at],), (pictures[at],), (captions[at],)
        ask = self._prompts.render(
            "ask",
            **self._common,
            number=len(self._turns),
            pictures=[asdict(kind) for kind in kinds],
            plan=self.plan,
            memory=self.memory,
            steps_left=self._episode.remaining.steps,
        )
        return [turn.shown, *_captioned(captions, pictures), ask]

    def retry(self, reply: str) -> tuple[Message, Message]:
        """Messages that show the model its unreadable reply and ask for another."""
        asked = self._prompts.render("retry", **self._common, reply=reply)
        return Message(Role.ASSISTANT, (reply or " ",)), Message(Role.USER, (asked,))

    def shrink(self) -> str:
        """Drops part of a request that is too long. Returns its name, or "" if nothing is left.

        Past pictures are dropped first, then past turns, half of them at a time, then all current
        pictures but one. Pictures that never change do not count as past.
        """
        past = len(self._turns) - 1
        shown = min(self._window.pictures, past)
        if self._sees and any(map(self._is_past, self._turns[past - shown : past])):
            self._window.pictures = shown // 2
            return "pictures"
        if turns := min(self._window.turns, past):
            self._window.turns = turns // 2
            return "turns"
        if self._all_pictures_now and len(self._turns[-1].pictures) > 1:
            self._all_pictures_now = False
            return "pictures_now"
        return ""

    def ways_out(self) -> str:
        """A sentence with what a user can do about a request that is still too long when `shrink`
        has nothing left to drop. By then it holds no history."""
        ways = []
        if shown := len(self._common["examples"]):
            ways.append(f"show fewer worked examples than {shown} (--example-count)")
        if self._turns[-1].pictures:
            ways.append("send smaller pictures (--pictures)")
        first, *others = ["Let the model read a longer context", *ways]
        return " or ".join(filter(None, (", ".join((first, *others[:-1])), *others[-1:]))) + "."

    def _is_past(self, turn: _Turn) -> bool:
        """Whether only this turn shows some of its pictures."""
        unchanged = not self._prompts.manifest.repeats and turn.pictures == self._turns[-1].pictures
        return bool(turn.pictures) and not unchanged


def _captioned(captions: Sequence[str], pictures: Sequence[Picture]) -> list[Part]:
    """Each picture, preceded by its caption."""
    return [part for pair in zip(captions, pictures, strict=True) for part in pair]


def _joined(parts: Iterable[Part], between: str = "\n\n") -> tuple[Part, ...]:
    """Joins neighbouring texts, by default with a blank line between them."""
    joined: list[Part] = []
    for part in parts:
        if not part:
            continue
        if isinstance(part, str) and joined and isinstance(joined[-1], str):
            joined[-1] = f"{joined[-1]}{between}{part}"
        else:
            joined.append(part)
    return tuple(joined) or (" ",)


def _common(episode: Episode, form: AnswerForm, *, choosing: bool, sees: bool) -> dict[str, Any]:
    """The variables that every template gets."""
    space = episode.action_space
    return {
        "suite": episode.suite,
        "mode": episode.mode.name.lower(),
        "condition": episode.condition,
        "instruction": episode.instruction,
        "language": episode.language,
        "context": episode.context,
        "skills": [asdict(skill) for skill in space.skills],
        "answer_format": space.answer_format,
        "max_steps": episode.max_steps,
        "form": form.form.value,
        "fields": form.fields,
        "endings": form.endings if episode.mode is Mode.STEPWISE else (),
        "choosing": choosing,
        "sees": sees,
    }


def _told(outcomes: Iterable[Outcome]) -> list[dict[str, str]]:
    return [{"code": each.code.name, "feedback": each.feedback} for each in outcomes]


def _as_data(action: Action, form: AnswerForm) -> dict[str, Any]:
    """An action as templates see it: ``action`` (a call), ``steps`` (a plan) or ``words``,
    and each of them as a ``line``."""
    data: dict[str, Any] = {"action": None, "steps": None, "words": "", "line": ""}
    match action:
        case SkillCall():
            data["action"], data["line"] = call_as_data(action), _as_line(action)
        case Plan(steps):
            data["steps"] = [call_as_data(step) for step in steps]
            data["line"] = ", ".join(map(_as_line, steps))
        case Text(text):
            data["words"], data["line"] = text, said_action(text, form)
        case End():
            data["line"] = "done" if action is End.AGENT_DONE else "give_up"
            data["action"] = {"skill": data["line"]}
    return data


def call_as_data(call: SkillCall) -> dict[str, Any]:
    """A call as a JSON object, with arguments only if there are any."""
    if not call.arguments:
        return {"skill": call.name}
    return {"skill": call.name, "arguments": dict(call.arguments)}


def _as_line(call: SkillCall) -> str:
    arguments = ", ".join(call.arguments.values())
    return f"{call.name}({arguments})" if arguments else call.name


def describe(action: Action, form: AnswerForm | None = None) -> str:
    """An action in one line, for logs. ``form`` is the requested form."""
    if isinstance(action, SkillCall):
        return _as_line(action)
    if isinstance(action, Plan):
        return f"plan of {len(action.steps)}"
    if isinstance(action, Text):
        said = said_action(action.text, form) if form and form.pattern else ""
        return said or f"says {json.dumps(action.text[:60], ensure_ascii=False)}"
    return action.name.lower()
