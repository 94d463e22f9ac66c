"""The tools that every client gets, with the bounds of their arguments.

The list is the same for every suite, condition and episode: `begin` describes the skills of the
episode. Each call names its episode and, if it acts, its step; so a call that is repeated is never
executed twice, and nothing depends on the client's connection.
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from mcp_types import Tool, ToolAnnotations
from pydantic import BaseModel, ConfigDict, Field

LONGEST_NAME = 200
LONGEST_TEXT = 64 * 2**10
LONGEST_THOUGHT = 16 * 2**10
MOST_ARGUMENTS = 16
MOST_STEPS = 200
"""Bounds in characters and items. The service's own limits are lower in most runs."""

Name = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)]
EpisodeHandle = Annotated[
    str, Field(max_length=LONGEST_NAME, description="The episode's handle, from begin.")
]
StepNumber = Annotated[
    int,
    Field(
        ge=0,
        le=1_000_000,
        description=(
            "The number of this step, as the last answer gave it. To repeat a call whose answer"
            " was lost, send the same number and the same arguments."
        ),
    ),
]
Thought = Annotated[
    str,
    Field(max_length=LONGEST_THOUGHT, description="Optional: why you act so. It is recorded only."),
]


class Arguments(BaseModel):
    """The arguments of a tool. The docstring of each subclass is the tool's description."""

    model_config = ConfigDict(extra="forbid", strict=True)

    name: ClassVar[str]
    changes: ClassVar[bool] = True

    @classmethod
    def tool(cls) -> Tool:
        """The tool as clients list it."""
        schema = cls.model_json_schema()
        schema.pop("title", None)
        schema.pop("description", None)
        return Tool(
            name=cls.name,
            description=" ".join((cls.__doc__ or "").split()),
            input_schema=schema,
            annotations=ToolAnnotations(
                read_only_hint=not cls.changes,
                destructive_hint=False,
                idempotent_hint=True,
                open_world_hint=False,
            ),
        )


class Begin(Arguments):
    """Begins the next episode, or returns the open one. Returns its handle, the instruction, the
    skills on offer and the first observation."""

    name = "begin"


class Look(Arguments):
    """Returns the newest observation again. It uses no step."""

    name = "look"
    changes = False

    episode: EpisodeHandle


class Call(BaseModel):
    """One call of a skill."""

    model_config = ConfigDict(extra="forbid", strict=True)

    skill: Name
    arguments: Annotated[dict[Name, str], Field(max_length=MOST_ARGUMENTS)] = {}


class Act(Arguments):
    """Takes one step by a skill, such as skill "pickup" with arguments {"object": "mug"}. Returns
    what happened and the next observation."""

    name = "act"

    episode: EpisodeHandle
    step: StepNumber
    skill: Annotated[Name, Field(description="The name of a skill, from begin.")]
    arguments: Annotated[
        dict[Name, str],
        Field(max_length=MOST_ARGUMENTS, description="The skill's arguments by name."),
    ] = {}
    thought: Thought = ""


class Say(Arguments):
    """Takes one step by text, such as the answer to a question, in the form that begin asks for."""

    name = "say"

    episode: EpisodeHandle
    step: StepNumber
    text: Annotated[str, Field(max_length=LONGEST_TEXT)]
    thought: Thought = ""


class Plan(Arguments):
    """Sends a plan of several skill calls at once, if begin asks for a plan."""

    name = "plan"

    episode: EpisodeHandle
    step: StepNumber
    steps: Annotated[list[Call], Field(max_length=MOST_STEPS)]
    thought: Thought = ""


class End(Arguments):
    """Ends the episode: the goal is reached, or you give up. Then call begin for the next one."""

    name = "end"

    episode: EpisodeHandle
    goal_reached: Annotated[
        bool, Field(description="Whether you believe that the goal is reached.")
    ]
    thought: Thought = ""


ALL: tuple[type[Arguments], ...] = (Begin, Look, Act, Say, Plan, End)
TOOLS = {each.name: each for each in ALL}


def problems(error: Any) -> str:
    """What is wrong with the arguments, from pydantic's ValidationError, in at most five lines."""
    found = error.errors(include_url=False, include_input=False, include_context=False)
    lines = [f"{'.'.join(map(str, each['loc'])) or 'arguments'}: {each['msg']}" for each in found]
    return "\n".join([*lines[:5], *(["…"] if len(lines) > 5 else [])])
