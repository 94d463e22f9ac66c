"""The texts for an agent: the question, the rules of the world, the form of the answer."""

from env_service.domain.action import ActionSpace
from env_service.suites.babybench.answers.readings import (
    END_TAG,
    PLAN_MARKER,
    START_TAG,
    STATE_MARKER,
    State,
)
from env_service.suites.babybench.solved_level import SolvedLevel
from env_service.suites.babybench.tasks import Question
from env_service.suites.base import Condition

_ACTIONS = """\
An agent lives in a grid of square rooms. Walls surround every room; doors join neighbouring \
rooms. Keys, balls and boxes each fill a cell and have a colour.

Places are (x, y): x counts cells from the west edge, y from the north edge, both from 0. \
Headings are 0 east (x grows), 1 south (y grows), 2 west, 3 north. A state is ((x, y), d): the \
agent's cell and its heading.

The agent takes one action at a time; apart from the turns, each concerns the cell ahead of it:
- left, right: turn a quarter on the spot, to its own left or right.
- forward: walk into the cell ahead. Without effect where a wall, a thing, or a door that is not \
open is ahead.
- pickup: take the key, ball or box ahead. Without effect where there is none, or something is \
carried already.
- drop: put what is carried into the cell ahead. Without effect where nothing is carried, or the \
cell is not free; a doorway is not free.
- toggle: open a closed door, close an open one, unlock a locked one with a key of its colour in \
hand, which is kept. A box that is toggled is gone. Without effect on all else.
At first nothing is carried, and all doors are closed."""

_GOING = 'To "go to" a thing means to stand in a cell next to it and face it.'

_SUBGOALS = """\
The subgoals are carried out for you in the order in which you give them, until the mission is \
fulfilled. A subgoal may be:
- (GoNextToSubgoal, (x, y)): walk until the cell (x, y) is the one ahead.
- (PickupSubgoal): take the thing ahead, with empty hands.
- (DropSubgoal): put what is carried into the cell ahead, which has to be free.
- (OpenSubgoal): open the door ahead; if it is locked, its key has to be in hand.
- (CloseSubgoal): close the open door ahead.
Whoever carries them out finds the way alone, but adds a subgoal where yours leave something out: \
to open a door on the way, to move a thing that blocks it, to fetch a key. Each one that is added \
counts as help, and the less help, the better. What cannot be done at all is passed over, or \
ends the attempt."""

_MISSIONS = """\
"Go to" a thing or a door means to stand next to it and face it. "Put" one thing "next to" \
another means to drop it so that the two cells share a side. When the mission says "then" or \
"after", the order counts. "The" names the only thing of its description, "a" any one of several. \
"In front of you", "behind you", "on your left" and "on your right" are meant from where the \
agent begins, in the room where it begins."""

_WORLD_RULES = {
    Question.PREDICT: f"{_ACTIONS}\n\nAn action done, where there is one, does nothing.",
    Question.PLAN: f"{_ACTIONS}\n\n{_GOING}",
    Question.DECOMPOSE: f"{_ACTIONS}\n\n{_MISSIONS}\n\n{_SUBGOALS}",
}

_FULL_PICTURE = "The picture shows the whole grid from above, north up, before the first action."
_PARTIAL_PICTURE = (
    "The picture shows from above what the agent sees before its first action, turned so that it "
    "looks up and stands in the middle of the last row of cells: seven cells ahead counting its "
    "own, three to each side. Cells in sight are lit, all others black."
)
_SYMBOLS = (
    "The red triangle is the agent, and its tip points where it looks. Grey squares are walls. A "
    "disc is a ball, a frame with a bar across is a box. A frame with a dot for a handle is a "
    "closed door, a filled one with a keyhole bar a locked door. The blue-grey strip at the bottom "
    "is no part of the grid."
)

_ANSWER_RULES = {
    Question.PREDICT: (
        "End your answer with this line, and write it once:\n"
        f"{STATE_MARKER}((x, y), d)\n"
        "where (x, y) is the cell and d the number of the heading, such as ((4, 12), 3)."
    ),
    Question.PLAN: (
        "End your answer with this line, and write it once:\n"
        f"{PLAN_MARKER}action, action, action\n"
        "with names of actions (left, right, forward, pickup, drop, toggle) and commas between "
        "them, in order, all on one line, and nothing after the last."
    ),
    Question.DECOMPOSE: (
        "End your answer with the subgoals in order, one on a line, between these two lines, "
        "and write them once:\n"
        f"{START_TAG}\n(GoNextToSubgoal, (x, y))\n(PickupSubgoal)\n{END_TAG}\n"
        "Nothing else may stand between the two lines: no numbers, bullets, comments or empty "
        "lines. Only GoNextToSubgoal takes a place."
    ),
}


def ask(question: Question, known: SolvedLevel, condition: Condition) -> str:
    """The question. Without a description in words, it also says where the agent starts."""
    asked = _ask(question, known)
    if "text" in condition["observation"]:
        return asked
    return f"{asked} The agent starts in the state {State(*known.facts.state)}."


def _ask(question: Question, known: SolvedLevel) -> str:
    match question:
        case Question.PREDICT:
            return (
                "The agent takes these actions, in this order: "
                f"{', '.join(known.expert.actions)}. In which state does it end up?"
            )
        case Question.PLAN:
            return "Which sequence of actions makes the agent go to the red ball?"
        case _:
            return (
                f"Which subgoals, carried out in order, fulfil this mission: {known.facts.mission}?"
            )


def explain(question: Question, condition: Condition) -> dict[str, str]:
    """The opening's context: the rules of world and answer, and the request to the agent's prompt.

    The same for every level.
    """
    rules = [_WORLD_RULES[question]]
    if "picture" in condition["observation"]:
        partial = condition["view"] == "partial"
        rules.append(f"{_PARTIAL_PICTURE if partial else _FULL_PICTURE} {_SYMBOLS}")
    return {
        "question": question.value,
        "world_rules": "\n\n".join(rules),
        "answer_rules": _ANSWER_RULES[question],
        "formatter": condition["formatter"],
        "prompter": condition["prompter"],
    }


def action_space(question: Question) -> ActionSpace:
    """No skills: only an answer in words."""
    return ActionSpace(answer_format=_ANSWER_RULES[question])
