"""A model that refines commands as a good one would, by template; and the tasks that it is for."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

from env_service.suites.alfred.dataset.refined_commands import RefinedRecord, write_records
from env_service.suites.alfred.refine.checks import words_for
from env_service.suites.alfred.refine.plan_sequences import goal_of
from env_service.suites.alfred.task import Goal, TaskType
from tests.support.model_server import Behaviour, Call, completion

_STATES = {TaskType.HEAT: "heated ", TaskType.COOL: "cooled ", TaskType.CLEAN: "cleaned "}
_KOREAN = {
    "book": "책",
    "shelf": "선반",
    "pillow": "베개",
    "sofa": "소파",
    "mug": "머그컵",
    "desk lamp": "책상 램프",
    "fork": "포크",
    "drawer": "서랍",
    "bread": "빵",
    "garbage can": "쓰레기통",
    "egg": "달걀",
    "sink": "싱크대",
    "key chain": "열쇠고리",
    "box": "상자",
    "dresser": "서랍장",
    "heated ": "데운 ",
    "cooled ": "식힌 ",
    "cleaned ": "씻은 ",
    "": "",
}
_FORMS = (
    (r"Examine the (.+) in the light of the (.+)\.", "{1} 불빛에서 {0}을 살펴보세요."),
    (r"Put two (.+)s in the (.+)\.", "{0} 두 개를 {1}에 놓으세요."),
    (r"Put a (.+) with a (.+) in it in the (.+)\.", "{1}가 든 {0}를 {2}에 놓으세요."),
    (r"Put a slice of (\w+ed |)(.+) in the (.+)\.", "{0}{1} 조각을 {2}에 놓으세요."),
    (r"Put a (\w+ed |)(.+) in the (.+)\.", "{0}{1}을 {2}에 놓으세요."),
)
_STAGES = {
    "You check": "integrity",
    "You recognise": "B",
    "You put": "P",
    "You turn": "C",
    "You translate": "K",
}

SEQUENCES = (
    ("pick_and_place_simple", "GotoLocation(bed), PickupObject(book), PutObject(book,shelf)"),
    ("pick_two_obj_and_place", "PickupObject(pillow), PutObject(pillow,sofa)"),
    ("look_at_obj_in_light", "PickupObject(mug), ToggleObject(desklamp)"),
    (
        "pick_clean_then_place_in_recep",
        "PickupObject(fork), CleanObject(fork), PutObject(fork,drawer)",
    ),
    (
        "pick_heat_then_place_in_recep",
        "PickupObject(knife), SliceObject(bread), PickupObject(bread), HeatObject(bread),"
        " PutObject(bread,garbagecan)",
    ),
    (
        "pick_cool_then_place_in_recep",
        "PickupObject(egg), CoolObject(egg), PutObject(egg,sinkbasin)",
    ),
    (
        "pick_and_place_with_movable_recep",
        "PickupObject(keychain), PutObject(keychain,box), PickupObject(box),"
        " PutObject(box,dresser)",
    ),
)
"""A plan of each task type."""


def published_file(count: int = 7) -> str:
    """A file in the published format with so many tasks, of all types in turn; its refined texts
    are still to be made."""
    records = []
    for number in range(count):
        kind, actions = SEQUENCES[number % len(SEQUENCES)]
        listed = [*actions.split(", "), "Done"]
        sequence = ", ".join(f"{place}. {each}" for place, each in enumerate(listed, 1))
        texts = ("to be made",) * 4
        originals = ("Do it.", f"Please do number {number}.")
        records.append(
            RefinedRecord(f"trial_{number}", kind, f"{sequence}.", texts[0], originals, *texts)
        )
    return write_records(records)


def refines(call: Call) -> None:
    """Answers as a good model would."""
    call.send_json(200, completion(answer(call)))


def answer(call: Call) -> str:
    """What a good model says: to the first question, or asked again."""
    messages = call.asked.body["messages"]
    asked = messages[1]["content"]
    stage = next(
        name for words, name in _STAGES.items() if messages[0]["content"].startswith(words)
    )
    if stage == "integrity":
        sound = "number" in asked.rpartition("Command:")[2]
        kind = 5 if sound else 4
        return json.dumps({"Integrity": sound, "Reason": "So it is.", "Type": kind})
    if stage == "B":
        kind, sequence = re.findall(r"^(?:Task type|Action sequence): (.+)$", asked, re.MULTILINE)
        return base_command(goal_of(TaskType(kind), sequence))
    commands = re.findall(r"^\d+\. (.+)$", asked, re.MULTILINE)
    made = [_REWORDED[stage](command) for command in commands]
    return "\n".join(f"{number}. {line}" for number, line in enumerate(made, 1))


def base_command(goal: Goal) -> str:
    """A plain command for a goal."""
    thing = words_for(goal.object)
    if goal.type is TaskType.LOOK:
        return f"Examine the {thing} in the light of the {words_for(goal.toggle)}."
    place = words_for(goal.parent)
    if goal.type is TaskType.TWO:
        return f"Put two {thing}s in the {place}."
    if goal.type is TaskType.MOVABLE:
        return f"Put a {words_for(goal.movable)} with a {thing} in it in the {place}."
    sliced = "slice of " if goal.sliced else ""
    return f"Put a {sliced}{_STATES.get(goal.type, '')}{thing} in the {place}."


def _paraphrase(command: str) -> str:
    return command.replace("Put ", "Place ").replace("Examine ", "Inspect ")


def _contextual(command: str) -> str:
    return f"At home we like to {command[0].lower()}{command[1:-1]}. Please do so as always."


def _korean(command: str) -> str:
    for form, korean in _FORMS:
        found = re.fullmatch(form, command)
        if found:
            return korean.format(*(_KOREAN.get(word, word) for word in found.groups()))
    return command


_REWORDED: dict[str, Callable[[str], str]] = {
    "P": _paraphrase,
    "C": _contextual,
    "K": _korean,
}


def says_instead(text: str) -> Behaviour:
    """Answers with these words, whatever was asked."""
    return lambda call: call.send_json(200, completion(text))


def one_line_short(call: Call) -> None:
    """Answers well, but for the last line."""
    call.send_json(200, completion(answer(call).rpartition("\n")[0]))
