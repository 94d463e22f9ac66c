"""Reading what an agent sent, in whatever form it came."""

from __future__ import annotations

from env_service.domain.action import (
    Action,
    ActionSpace,
    Parameter,
    Plan,
    Skill,
    SkillCall,
    Text,
    Unreadable,
)
from env_service.suites.actplan.plans.plan_reader import Diagnosis, PlanProblem, ReadPlan, read_plan

_THING = Parameter("object", "What it is done to, by name; of walk_to also a room.")
_ITEM = Parameter("item", "What is put there, by name.")
_TARGET = Parameter("target", "Where it goes, by name.")
_TOOL = Parameter("tool", "What it is done with, by name, or nothing.")

_NOTHING = ("", "nothing", "none")
"""Said of a tool: there is none. People and programs have to say something."""

_SKILLS = (
    ("walk_to", "Walk to a thing or into a room.", (_THING,)),
    ("grab", "Take a thing up.", (_THING,)),
    ("place_inside", "Put what is held into something.", (_TARGET, _ITEM)),
    ("place_on_top", "Put what is held onto something.", (_TARGET, _ITEM)),
    ("place_next_to", "Put what is held next to something.", (_TARGET, _ITEM)),
    ("place_under", "Put what is held under something.", (_TARGET, _ITEM)),
    ("place_on_floor", "Put what is held on the floor.", (Parameter("item", _ITEM.description),)),
    ("open", "Open a thing.", (_THING,)),
    ("close", "Close a thing.", (_THING,)),
    ("switch_on", "Switch a thing on.", (_THING,)),
    ("switch_off", "Switch a thing off.", (_THING,)),
    ("clean", "Clean a thing.", (_THING, _TOOL)),
    ("soak", "Make a thing wet.", (_THING,)),
    ("dry", "Make a thing dry.", (_THING,)),
    ("slice", "Cut a thing.", (_THING, _TOOL)),
    ("cook", "Cook a thing.", (_THING,)),
    ("defrost", "Thaw a thing.", (_THING,)),
    ("pour", "Pour what is in a thing onto another.", (_ITEM, _TARGET)),
    ("wait", "Let time go by.", ()),
)


def action_space() -> ActionSpace:
    """Every skill; things are named freely, as in published plans. The paper's eight actions
    (docs/actplan.md, Tasks) and the others that its plans use most."""
    return ActionSpace(tuple(Skill(*each) for each in _SKILLS))


def read_action(action: Action) -> ReadPlan:
    """`read_plan` of the words that a text has, or that skill calls come to.

    The arguments of calls are taken in the order of the skill's parameters, by name where the names
    are these; a skill that does not exist is an unknown verb.
    """
    match action:
        case Text(text):
            return read_plan(text)
        case SkillCall():
            return read_plan(_said(action))
        case Plan(steps):
            return read_plan("\n".join(map(_said, steps)))
        case Unreadable(problem):
            return ReadPlan((), diagnoses=(Diagnosis(PlanProblem.EMPTY, 0, problem),))


def _said(call: SkillCall) -> str:
    order = {
        parameter.name: place
        for name, _, parameters in _SKILLS
        if name == call.name
        for place, parameter in enumerate(parameters)
    }
    arguments = sorted(call.arguments, key=lambda each: order.get(each[0], len(order)))
    values = [
        "" if name == _TOOL.name and value.lower() in _NOTHING else value
        for name, value in ((name, _bare(value)) for name, value in arguments)
    ]
    name = "_".join(_bare(call.name).split()) or "unnamed"
    return f"{name}({', '.join(value for value in values if value)})"


def _bare(value: str) -> str:
    """A value without the characters that calls are made of."""
    for mark in "(),\n/":
        value = value.replace(mark, " ")
    return value.strip()
