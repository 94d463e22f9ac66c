"""English nouns: plurals, articles, lists."""

from __future__ import annotations

from collections.abc import Sequence

_IRREGULAR = {
    "mouse": "mice",
    "foot": "feet",
    "child": "children",
    "piece of cloth": "pieces of cloth",
}
_SAME = frozenset(("fish", "sheep", "scissors", "chives", "pliers", "trousers", "jeans", "series"))
"""Equal in the plural; those that end in "s" are plural always."""
_F_VES = {"knife": "knives", "shelf": "shelves", "leaf": "leaves", "loaf": "loaves"}
"""Also as the end of a word: "bookshelf"."""
_O_ES = ("tomato", "potato", "hero", "echo", "mango")
_HISSES = ("s", "x", "z", "ch", "sh")
_MASS = frozenset(
    (
        *("apparel", "beef", "bread", "broccoli", "canned food", "catsup", "cereal", "chicken"),
        *("chili", "chocolate", "cinnamon", "detergent", "flour", "food", "jam", "jewelry"),
        *("juice", "lettuce", "makeup", "meat", "medicine", "milk", "oatmeal", "parsley", "pasta"),
        *("plywood", "pork", "salad", "salt", "sauce", "shampoo", "snack food", "soap", "soup"),
        *("spaghetti sauce", "sugar", "sushi", "tape", "toothpaste", "underwear", "vegetable oil"),
        *("vinegar", "water", "wrapping", "yogurt", "broth", "oil", "rice", "coffee", "tea"),
    )
)
"""Nouns that take no article where they are met first, and no plural."""
_VOWELS = "aeiou"


def plural(noun: str) -> str:
    """Several of a thing: "box" gives "boxes", "table knife" gives "table knives"."""
    if noun in _MASS or noun in _SAME:
        return noun
    if noun in _IRREGULAR:
        return _IRREGULAR[noun]
    before, blank, last = noun.rpartition(" ")
    if blank:
        return f"{before} {plural(last)}"
    for one, several in _F_VES.items():
        if last.endswith(one):
            return last.removesuffix(one) + several
    if last.endswith(_HISSES) or last in _O_ES:
        return f"{last}es"
    if last.endswith("y") and last[-2:-1] not in (*_VOWELS, ""):
        return f"{last[:-1]}ies"
    return f"{last}s"


def some(noun: str) -> str:
    """One of a thing that is met first: "an apple", "a rag", "soap"."""
    if noun in _MASS or is_plural(noun):
        return noun
    return f"{'an' if noun[:1] in _VOWELS else 'a'} {noun}"


def is_plural(noun: str) -> bool:
    """Whether a verb after the noun is a plural one even of one thing: scissors."""
    last = noun.rpartition(" ")[2]
    return last in _SAME and last.endswith("s")


def listed(parts: Sequence[str]) -> str:
    """ "a", "a and b", "a, b and c"."""
    return " and ".join(filter(None, (", ".join(parts[:-1]), *parts[-1:])))


def numbered(noun: str, numbers: Sequence[int]) -> str:
    """Several by their numbers, which ascend: "plates 1 to 4", "plates 1, 2 and 4", "plate 3"."""
    if len(numbers) == 1:
        return f"{noun} {numbers[0]}"
    whole = len(numbers) > 2 and numbers[-1] - numbers[0] == len(numbers) - 1
    told = f"{numbers[0]} to {numbers[-1]}" if whole else listed([str(each) for each in numbers])
    return f"{plural(noun)} {told}"
