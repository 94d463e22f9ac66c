"""Where the paper and the released code of AsgardBench differ, and which of them is played.

Each field of `Rules` is one difference (docs/asgard-upstream.md lists them). False follows the
paper, True the released code, and the metadata of the field describes both. Everything else is
alike in both.

Three differences are missing, because this code cannot follow them: the release caches poses and
placements from run to run, it pushes slices apart with unseeded draws, and it records one error
for each instance that an action was tried on.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace


def _difference(*, paper: str, code: str) -> bool:
    sources = {"paper": paper, "code": code}
    found: bool = field(default=False, metadata=sources)
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """The rules of an episode. `PAPER` and `UPSTREAM` are the two that have a name."""

    alias_false_success: bool = _difference(
        paper="An action that fails on every candidate fails.",
        code="A failed action on a CounterTop, DiningTable or SideTable is reported as Success if"
        " the scene has an object of another of these three types and no such object is visible.",
    )
    goal_locked_objects: bool = _difference(
        paper="Every object can be acted on.",
        code="An object that satisfies a location goal cannot be acted on, so raw food on its dish"
        " stays there.",
    )
    sticky_location_goals: bool = _difference(
        paper="A goal is met while it holds.",
        code="A location goal stays met after it was met once in the episode.",
    )
    put_retries_find_and_open: bool = _difference(
        paper="PUT requires that its receptacle is visible and open, for each candidate.",
        code="PUT requires this only for the first candidate. For each later candidate, the agent"
        " first walks to it and opens it.",
    )
    failed_put_closes: bool = _difference(
        paper="A refused action changes nothing.",
        code="A failed PUT into an open container closes it, if it can be closed.",
    )
    find_opens: bool = _difference(
        paper="FIND leaves a closed container closed.",
        code="FIND opens the closed Drawer or Cabinet that holds the object.",
    )
    find_always_succeeds: bool = _difference(
        paper="FIND succeeds if it brings the object into view.",
        code="FIND of an existing object succeeds even if it never came into view.",
    )
    drink_any_liquid: bool = _difference(
        paper="The goal is to drink coffee.",
        code="DRINK of any liquid sets the goal Drink Coffee.",
    )
    drink_with_anything_in_hand: bool = _difference(
        paper="The agent must hold what it drinks from.",
        code="DRINK only requires that the agent holds something.",
    )
    failed_drink_dirties: bool = _difference(
        paper="A refused action changes nothing.",
        code="If the agent holds a Mug, DRINK makes its target dirty during the check, even if it"
        " is then refused.",
    )
    spray_any_target: bool = _difference(
        paper="The goal is to spray the mirror.",
        code="SPRAY of any object sets the goal Spray Mirror.",
    )
    egg_sliced_anywhere: bool = _difference(
        paper="An egg is cracked in a pan.",
        code="SLICE of an Egg needs no pan; the egg only has to be visible.",
    )
    butter_knife_slices: bool = _difference(
        paper="Slicing requires a Knife.",
        code="The name of the held object only has to contain Knife: a ButterKnife works too.",
    )
    burner_without_pan: bool = _difference(
        paper="A burner is turned on under a pan or a pot.",
        code="An empty StoveBurner can be turned on.",
    )
    first_faucet_only: bool = _difference(
        paper="CLEAN needs the faucet of the sink that the object is in; turning a faucet on"
        " depends on what is in its own sink.",
        code="CLEAN looks at the first Faucet, TOGGLE_ON at the first SinkBasin.",
    )
    first_instance_only: bool = _difference(
        paper="All knobs must be off and all faucets closed; any set table counts.",
        code="Goals check only the first object of their type, such as one StoveKnob of four.",
    )
    pots_and_cups_anywhere: bool = _difference(
        paper="Pots and cups are put away in a Cabinet.",
        code="A Pot or Cup on a CounterTop, DiningTable or SideTable also counts as put away.",
    )
    held_counts_as_placed: bool = _difference(
        paper="A held object has no location.",
        code="An object held right above a dish satisfies a location goal, because only its"
        " position counts.",
    )
    toast_may_be_raw: bool = _difference(
        paper="The table is set with toast.",
        code="The slice of bread on the set table may be raw.",
    )
    limits_overrun_by_one: bool = _difference(
        paper="A limit of N steps ends the episode after N actions.",
        code="A limit of N steps ends the episode after N + 1 actions.",
    )
    eight_repeats_end: bool = _difference(
        paper="A sequence of actions ends the episode if it occurs more than eight times in a row.",
        code="A sequence that occurs eight times in a row ends the episode.",
    )
    subgoal_flag_latches: bool = _difference(
        paper="At the limit, the agent gets more steps if a goal condition was met for the first"
        " time in the last ten steps.",
        code="The agent gets more steps once for any DRINK, SPRAY, SLICE or CLEAN that passed its"
        " checks, however long ago.",
    )
    subgoal_extensions_untagged: bool = _difference(
        paper="The result records every extension of the limit.",
        code="The result does not record an extension for a subgoal.",
    )
    novelty_by_windows: bool = _difference(
        paper="At the limit, the agent gets more steps if the last action used an object that the"
        " ten steps before it did not use.",
        code="At the limit, the agent gets more steps if the last ten steps used an object that"
        " the ten steps before them did not use.",
    )
    failed_actions_employ_objects: bool = _difference(
        paper="For these extensions, only a successful action counts as using an object.",
        code="Any action that names an object counts as using it.",
    )
    feedback_of_last_candidate: bool = _difference(
        paper="Detailed feedback says why the action failed on the first candidate.",
        code="Detailed feedback says why the action failed on the last candidate.",
    )
    placeholder_messages: bool = _difference(
        paper="If no pose from which to act is left, detailed feedback says why the action failed.",
        code="If no pose from which to act is left, detailed feedback shows the simulator's last"
        " error, or --.",
    )
    bad_turns_misfiled: bool = _difference(
        paper="Unparsable turns, unknown actions and unknown objects are separate classes.",
        code="A turn with a missing or unknown object counts as undoable. A turn in which only the"
        " action is unknown counts as unparsable. The feedback does not say what was wrong.",
    )


PAPER = Rules()
"""What the paper says."""

UPSTREAM = replace(PAPER, **{each.name: True for each in fields(Rules)})
"""What the released code does, bugs and all."""

RULES: Mapping[str, Rules] = {"paper": PAPER, "upstream": UPSTREAM}
"""The rules by the name that the setting ``rules`` has for them; the first is the default."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One field of `Rules` in words: what the paper says, and what the released code does."""

    name: str
    paper: str
    code: str


def differences() -> tuple[Difference, ...]:
    """Every difference, in the order of the fields."""
    return tuple(Difference(each.name, **each.metadata) for each in fields(Rules))
