"""The words of plans for what can be done, spelling mistakes allowed for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum

from env_service.worlds.activity.actions import Verb


class Order(Enum):
    """Which of a word's two arguments is expected first."""

    TARGET_FIRST = "target_first"
    """place_inside(basket, candle), clean(table, rag)."""
    ITEM_FIRST = "item_first"
    """pour(bottle, glass), use(rag, table), put(candle, basket)."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a word says.

    Attributes:
        verb: what is done.
        order: of its arguments, where it takes two.
        target: a target that the word itself names: place_under_table.
        vague: a word for putting that leaves open whether into or onto; the target decides.
    """

    verb: Verb
    order: Order = Order.TARGET_FIRST
    target: str = ""
    vague: bool = False


PLACING = frozenset(
    {
        Verb.PLACE_INSIDE,
        Verb.PLACE_ON_TOP,
        Verb.PLACE_NEXT_TO,
        Verb.PLACE_UNDER,
        Verb.PLACE_ON_FLOOR,
    }
)
"""The verbs that put an item somewhere."""

_TARGET_FIRST: Mapping[Verb, str] = {
    Verb.WALK_TO: "walk_to walk go go_to goto move_to walk_towards walk_toward navigate navigate_to"
    " approach enter return_to head_to run_to find locate travel_to walk_into walk_in go_into"
    " go_back_to walk_back_to step_to walk_near",
    Verb.GRAB: "grab pick pick_up pickup take take_out get fetch hold grasp lift retrieve remove"
    " collect gather grab_from take_from remove_from grab_with acquire obtain carry grabs",
    Verb.PLACE_INSIDE: "place_inside place_in inside place_into put_inside_of place_within",
    Verb.PLACE_ON_TOP: "place_on_top put_on_top place_on place_onto on_top place_on_top_of"
    " place_ontop place_on_the_top place_over",
    Verb.PLACE_NEXT_TO: "place_next_to place_touching next_to put_next_to place_near place_beside"
    " place_by place_close_to place_against place_adjacent_to place_around place_in_front_of",
    Verb.PLACE_UNDER: "place_under place_underneath put_under put_underneath under place_below"
    " place_beneath",
    Verb.PLACE_ON_FLOOR: "place_on_floor put_on_floor place_on_the_floor put_on_the_floor drop"
    " drop_on_floor place_at_floor place_on_ground",
    Verb.OPEN: "open unseal uncap unlock cut_open tear_open open_up unscrew unzip uncover open_with"
    " pry_open twist_open pull_open",
    Verb.CLOSE: "close shut seal close_up zip cover shut_door recap",
    Verb.SWITCH_ON: "switch_on switch_in turn_on power_on start activate ignite light light_up"
    " switch_on_off toggle_on plug_in toggle press push_button press_button turn_on_water",
    Verb.SWITCH_OFF: "switch_off turn_off power_off stop deactivate extinguish put_out toggle_off"
    " turn_off_water shut_off",
    Verb.CLEAN: "clean scrub wipe brush polish mop vacuum sweep scrape scrap dust rub wax buff"
    " shine cleanse spray lather deodorize hoover erase sanitize disinfect wipe_off wipe_down"
    " clean_up clean_with brush_off brush_lint sweep_up scour scrub_with wipe_with polish_with"
    " dust_off remove_stain remove_stains remove_dust remove_lint wipe_dry swab sponge clean_off"
    " tidy_up",
    Verb.SOAK: "soak wet water rinse wash fill fill_up fill_with_water dampen moisten immerse"
    " submerge flush irrigate wash_with rinse_off soak_in hydrate refill saturate",
    Verb.DRY: "dry dry_off towel_dry air_dry dry_with",
    Verb.SLICE: "slice cut chop dice tear halve cut_up carve mince slice_up cut_with chop_up"
    " slice_with shred",
    Verb.COOK: "cook heat boil bake fry roast grill heat_up warm warm_up toast simmer microwave"
    " steam brew reheat saute stew",
    Verb.DEFROST: "defrost thaw melt unfreeze de_ice thaw_out",
    Verb.POUR: "pour_into pour_in pour_on pour_over pour_shampoo_into pour_onto",
    Verb.WAIT: "wait wait_for wait_until pause rest let_sit stand_by sleep wait_till",
    Verb.OTHER: "fold unfold iron tag label serve enjoy eat drink mix stir wring wring_out shake"
    " shake_off disassemble assemble empty drain squeeze check inspect look look_at observe examine"
    " verify ensure count read climb climb_up climb_down sit sit_on stand stand_up say call ask"
    " knock peel season taste smell fan unplug plug hand_over give push pull roll rotate turn flip"
    " adjust arrange organize sort decorate wrap unwrap tie untie choose select identify repair"
    " freeze note scan measure lock exit leave stack_up release_water setup set_up",
}
_ITEM_FIRST: Mapping[Verb, str] = {
    Verb.PLACE_INSIDE: "put_inside put_in put_into insert pack store load throw throw_away throw_in"
    " discard dispose dispose_of drop_in drop_into throw_into pack_into pack_in load_into toss"
    " toss_in store_in store_inside trash add add_to insert_into place_item_inside",
    Verb.PLACE_ON_TOP: "put_on stack stack_on hang hang_on hang_up attach attach_to set_on put_onto"
    " lay_on lay rest_on mount spread",
    Verb.CLEAN: "use apply apply_to apply_agent apply_on use_on sweep_to rub_with",
    Verb.SOAK: "dip dip_in dip_into dip_in_water soak_into",
    Verb.POUR: "pour sprinkle dispense spill tip_out",
}
_VAGUE = (
    "place put move set position put_down place_down put_back place_back return release set_down"
)
_NAMED_TARGET: Mapping[str, Meaning] = {
    "place_under_table": Meaning(Verb.PLACE_UNDER, target="table"),
    "place_on_table": Meaning(Verb.PLACE_ON_TOP, target="table"),
    "place_in_sink": Meaning(Verb.PLACE_INSIDE, target="sink"),
    "place_on_counter": Meaning(Verb.PLACE_ON_TOP, target="countertop"),
    "place_in_trash": Meaning(Verb.PLACE_INSIDE, target="ashcan"),
    "vacuum_floor": Meaning(Verb.CLEAN, target="floor"),
    "mop_floor": Meaning(Verb.CLEAN, target="floor"),
    "sweep_floor": Meaning(Verb.CLEAN, target="floor"),
}


def _meanings() -> Iterator[tuple[str, Meaning]]:
    for order, table in ((Order.TARGET_FIRST, _TARGET_FIRST), (Order.ITEM_FIRST, _ITEM_FIRST)):
        for verb, words in table.items():
            yield from ((word, Meaning(verb, order)) for word in words.split())
    for word in _VAGUE.split():
        yield word, Meaning(Verb.PLACE_ON_TOP, Order.ITEM_FIRST, vague=True)
    yield from _NAMED_TARGET.items()


WORDS: Mapping[str, Meaning] = dict(_meanings())
"""Every word that is known, in lower case with underscores."""

_MOST_PARTS = max(word.count("_") for word in WORDS) + 1

CANONICAL = frozenset({"switch-on", "switch-off", *(verb.value for verb in Verb)} - {"other"})
"""The spellings that need no repair: those of the tasks' descriptions (docs/actplan.md, Task
sets), and ours."""

_NO_HEADS = frozenset(
    {"inside", "under", "next_to", "on_top", "use", "add", "set", "get", "turn", "look", "go"}
)
"""Words that a longer word may begin with and mean something else."""

_SHORTEST_TYPO, _LONGEST_TYPO = 5, 24


def fold(word: str) -> str:
    """A word as `WORDS` spells words: "Switch-On" as "switch_on"."""
    return re.sub(r"[^a-z0-9]+", "_", word.lower()).strip("_")


def meaning_of(word: str) -> Meaning | None:
    """What a plan's word means; None if unknown.

    A word that is not in the table means what its longest beginning in the table does
    ("brush_lint_off" as "brush_lint"), or the one word of the table, of five letters or more, that
    differs from it by a single letter ("place_op_top").
    """
    folded = fold(word)
    if folded in WORDS:
        return WORDS[folded]
    parts = folded.split("_", _MOST_PARTS)
    for end in range(len(parts) - 1, 0, -1):
        head = "_".join(parts[:end])
        if head in WORDS and head not in _NO_HEADS:
            return WORDS[head]
    return _misspelt(folded)


def _misspelt(word: str) -> Meaning | None:
    if not _SHORTEST_TYPO <= len(word) <= _LONGEST_TYPO:
        return None
    found = {
        WORDS[known].verb: WORDS[known]
        for known in WORDS
        if len(known) >= _SHORTEST_TYPO and one_off(word, known)
    }
    return next(iter(found.values())) if len(found) == 1 else None


# --- How near spellings are


def one_off(word: str, known: str) -> bool:
    """Whether a letter put in, left out, changed, or swapped with the next makes one the other."""
    if abs(len(word) - len(known)) > 1:
        return False
    start = 0
    while start < min(len(word), len(known)) and word[start] == known[start]:
        start += 1
    left, right = word[start:], known[start:]
    if len(left) == len(right):
        return left[1:] == right[1:] or left[1::-1] + left[2:] == right
    return left[1:] == right or left == right[1:]
