"""The texts for an agent, and the parser of an agent's answers in words."""

import string

from env_service.domain.action import ActionSpace, Skill
from env_service.domain.outcome import Outcome, OutcomeCode
from env_service.suites.base import Condition
from env_service.worlds.babyai.actions import ACTIONS, Obstacle, Refusal
from env_service.worlds.babyai.description import name_content
from env_service.worlds.babyai.state import Thing

_SKILLS = {
    "left": "Turn a quarter to the left, on the spot.",
    "right": "Turn a quarter to the right, on the spot.",
    "forward": "Walk one cell in the direction you look.",
    "pickup": "Take the key, ball or box in the cell ahead into your empty hands.",
    "drop": "Put what you carry into the free cell ahead.",
    "toggle": "Open or close the door ahead, unlock it with its key in hand, or open a box.",
}

ACTION_SPACE = ActionSpace(tuple(Skill(name, _SKILLS[name]) for name in ACTIONS))
"""The six skills, without parameters."""

_NAMES = ", ".join(ACTIONS)

_WORLD = """\
You live in a grid of rooms. Walls surround every room; doors join neighbouring rooms. Things \
are keys, balls and boxes; each has a colour. One thing fills a cell, and you cannot walk \
through it.

Each turn you take one action, which concerns the cell ahead of you, next to you in the \
direction you look:
- left, right: turn a quarter on the spot, without moving.
- forward: walk into the cell ahead. Refused when a wall, a thing, or a door that is not open \
is there.
- pickup: take the thing ahead. Refused when there is none (walls and doors cannot be taken) \
or when you carry something: you carry one thing at most.
- drop: put what you carry into the cell ahead. Refused when you carry nothing or the cell is \
not free; a doorway is not free.
- toggle: open a closed door, or close an open one. A locked door opens when you carry a key \
of its colour, which you keep; without it, refused. A box that is toggled is destroyed, and \
leaves what was in it, if anything. Refused for all else.
A refused action changes nothing, but costs its turn.

The mission ends by itself, with success, as soon as it is fulfilled. "Go to" a thing or a door \
means: stand next to it and look at it. "Open" a door that is open already: close it and open \
it again. "Pick up" a thing that you carry already: drop it and take it again. "Put" one thing \
"next to" another means: drop it so that the two cells share a side. When the mission says \
"then" or "after", the order counts, and what is done too early does not. "The" names the only \
thing of its description, "a" any one of several. "In front of you", "behind you", "on your \
left" and "on your right" are meant from where you begin, in the room where you begin; they \
name the same things later on."""

_FULL_TEXT = (
    "You are told of the whole grid. Places are (x, y): x counts cells from the west edge, y "
    "from the north edge, both from 0. East is x + 1, south is y + 1."
)
_PARTIAL_TEXT = (
    "You are told of what you see: seven cells ahead counting your own, three to each side, and "
    "not through walls or doors that are not open. Places count from you: '2 ahead, 1 left'. "
    "What is behind you is not told."
)
_FULL_PICTURE = "Each picture shows the whole grid from above, north up."
_PARTIAL_PICTURE = (
    "Each picture shows from above what you see, turned so that you look up and stand in the "
    "middle of the last row of cells: seven cells ahead counting your own, three to each side. "
    "Cells in sight are lit, all others black. What you carry is also drawn under you."
)
_SYMBOLS = (
    "The red triangle is you, and its tip points where you look. Grey squares are walls. A disc "
    "is a ball, a frame with a bar across is a box. A frame with a dot for a handle is a closed "
    "door, a filled one with a keyhole bar a locked door, a narrow bar along one edge an open "
    "door. The blue-grey strip at the bottom is no part of the grid: it shows at its left end "
    "what you carry, and is empty when you carry nothing."
)
ANSWER_RULES = (
    f"An answer in words must be one of {_NAMES} and nothing else, or must end with a line "
    "'Action: ' and one of them. Case does not matter. Any other answer is not understood, and "
    "costs its turn."
)
"""The form of an answer in words, which does not concern agents that send skills."""


def explain_rules(condition: Condition) -> str:
    """The rules of the world, and how to read the observations, under one condition."""
    partial = condition["view"] == "partial"
    parts = [_WORLD]
    if "text" in condition["observation"]:
        parts.append(_PARTIAL_TEXT if partial else _FULL_TEXT)
    if "picture" in condition["observation"]:
        parts.append(f"{_PARTIAL_PICTURE if partial else _FULL_PICTURE} {_SYMBOLS}")
    return "\n\n".join(parts)


UNPARSABLE = Outcome(
    OutcomeCode.UNPARSABLE,
    f"Not understood. Answer with one of {_NAMES}, or end with a line 'Action: ' and one of them.",
)
"""The feedback on a text without an action."""

NOT_A_SKILL = Outcome(
    OutcomeCode.UNKNOWN_SKILL, f"There is no such skill. Skills: {_NAMES}; none takes arguments."
)
"""The feedback on a call of an unknown skill."""


def explain_refusal(refusal: Refusal, carrying: Thing | None) -> Outcome:
    """Why the world refused an action; ``carrying`` is what the agent has in its hands."""
    blocked = refusal.obstacle is Obstacle.BLOCKED
    code = OutcomeCode.PHYSICALLY_BLOCKED if blocked else OutcomeCode.PRECONDITION_FAILED
    return Outcome(code, _reason(refusal, carrying))


def _reason(refusal: Refusal, carrying: Thing | None) -> str:
    ahead = name_content(refusal.ahead)
    match refusal.obstacle:
        case Obstacle.BLOCKED:
            return f"You cannot walk on: {ahead} is in the way."
        case Obstacle.NOTHING_PORTABLE:
            return f"There is nothing to pick up: {ahead} is ahead."
        case Obstacle.HANDS_FULL:
            return f"Your hands are full: you carry {name_content(carrying)}."
        case Obstacle.HANDS_EMPTY:
            return "You carry nothing to drop."
        case Obstacle.OCCUPIED:
            return f"There is no room to drop it: {ahead} is ahead."
        case Obstacle.NOT_OPENABLE:
            return f"There is no door or box to toggle: {ahead} is ahead."
        case Obstacle.LOCKED:
            return f"You carry no key that fits: {ahead} is ahead."


# --- Reads an action from an agent's text

_SURROUNDINGS = string.whitespace + string.punctuation + "“”‘’«»…"


def parse_action(text: str) -> str | None:
    """The action that a text names, or None.

    Either the whole text is the name of one action, or its last line is "Action: " and that
    name. Case, and punctuation and space around the name, do not matter; anything else does.
    """
    whole = _bare(text)
    if whole in ACTIONS:
        return whole
    last_line = text.strip().rpartition("\n")[2]
    label, _, name = last_line.partition(":")
    found = _bare(name)
    return found if _bare(label) == "action" and found in ACTIONS else None


def _bare(text: str) -> str:
    return text.strip(_SURROUNDINGS).lower()
