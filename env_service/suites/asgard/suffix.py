"""The release's code for a condition, which names its result folders (spec sections 5.7, 6.1).

Such as T0_Fs_H60_C0_P2_I1_R1_S1_E0_M8192, for the baseline.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from env_service.suites.asgard.conditions import NAMED, SETTINGS
from env_service.suites.base import Condition

_CODES: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "T": ("text_only", {"off": "0", "on": "1"}),
    "F": ("feedback", {"none": "n", "simple": "s", "detailed": "d"}),
    "C": ("common_sense", {"off": "0", "on": "1"}),
    "I": ("previous_image", {"none": "0", "color": "1", "grayscale": "2"}),
    "R": ("memory", {"off": "0", "on": "1"}),
    "S": ("full_plan", {"off": "0", "on": "1"}),
}
"""The letter of each setting, and its values' codes."""

_ORDER = "TFHCPIRSEM"


@dataclass(frozen=True, slots=True)
class Declared:
    """What the release's code says of the model's side, which no setting of ours does.

    ``temperature`` is 0 … 1; ``max_tokens`` of one reply.
    """

    prompt_version: int = 2
    temperature: float = 0.0
    max_tokens: int = 8192


def write_suffix(condition: Condition, declared: Declared | None = None) -> str:
    """The code of a condition; the rules have none, as the release has but its own."""
    told = declared or Declared()
    codes = {letter: values[condition[name]] for letter, (name, values) in _CODES.items()}
    codes |= {
        "H": f"{int(condition['hand']):02d}",
        "P": str(told.prompt_version),
        "E": str(int(100 * told.temperature)),
        "M": str(told.max_tokens),
    }
    return "_".join(letter + codes[letter] for letter in _ORDER)


def read_suffix(suffix: str) -> tuple[dict[str, str], Declared]:
    """The settings that a code names, all but ``rules``, and what it declares.

    Raises ValueError, which says what part of the code is wrong.
    """
    parts = {part[:1]: part[1:] for part in suffix.split("_")}
    if "".join(parts) != _ORDER or suffix.count("_") != len(_ORDER) - 1:
        raise ValueError(
            f"{suffix!r} is no code of a condition: its letters have to be {' '.join(_ORDER)},"
            " such as in T0_Fs_H60_C0_P2_I1_R1_S1_E0_M8192"
        )
    numbers = {letter: _number(suffix, letter, parts[letter]) for letter in "HPEM"}
    found = {
        name: _value(suffix, letter, parts[letter], {code: value for value, code in values.items()})
        for letter, (name, values) in _CODES.items()
    }
    opacities = next(each.values for each in SETTINGS if each.name == "hand")
    found["hand"] = _value(suffix, "H", str(numbers["H"]), {value: value for value in opacities})
    declared = Declared(numbers["P"], numbers["E"] / 100, numbers["M"])
    return {each.name: found[each.name] for each in SETTINGS if each.name in found}, declared


class Conditions(Mapping[str, Mapping[str, str]]):
    """The paper's conditions by name; and by its code each one that the release can play. Those are
    not listed. What a code declares of the model's side says nothing here."""

    def __getitem__(self, name: str) -> Mapping[str, str]:
        if name in NAMED:
            return NAMED[name]
        try:
            return read_suffix(name)[0]
        except ValueError as error:
            raise KeyError(name) from error

    def __iter__(self) -> Iterator[str]:
        return iter(NAMED)

    def __len__(self) -> int:
        return len(NAMED)


def _value(suffix: str, letter: str, code: str, values: Mapping[str, str]) -> str:
    if code not in values:
        raise ValueError(
            f"{suffix!r}: {letter} is {code!r}; it has to be one of {', '.join(values)}"
        )
    return values[code]


def _number(suffix: str, letter: str, code: str) -> int:
    if not (code.isascii() and code.isdigit()):
        raise ValueError(f"{suffix!r}: {letter} is {code!r}; it has to be a whole number")
    return int(code)
