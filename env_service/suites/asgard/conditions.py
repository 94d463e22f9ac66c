"""The experimental settings, by the paper's names, and the release's codes for them, which name
its result folders."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from env_service.domain.names import MalformedNameError, UnknownNameError
from env_service.domain.outcome import FeedbackMode
from env_service.suites.asgard.rules import RULES, Rules
from env_service.suites.base import Condition, ConditionError, Setting

_OPACITIES = ("60", "0", "10", "20", "30", "40", "50", "70", "80", "90", "100")

SETTINGS: tuple[Setting, ...] = (
    Setting("text_only", "Whether the agent gets no pictures.", ("off", "on")),
    Setting(
        "feedback",
        "Feedback on each action: whether it worked, also why not, or nothing.",
        ("simple", "detailed", "none"),
    ),
    Setting(
        "hand",
        "How opaque the drawn hand is, in percent, while it holds something; 0 draws none.",
        _OPACITIES,
    ),
    Setting(
        "previous_image",
        "Whether and how the agent also gets the picture before its last action.",
        ("color", "grayscale", "none"),
    ),
    Setting("memory", "Whether the next prompt repeats the model's notes.", ("on", "off")),
    Setting(
        "full_plan",
        "Whether the model writes its whole plan each turn, or only the next action.",
        ("on", "off"),
    ),
    Setting("common_sense", "Whether the prompt states common-sense rules.", ("off", "on")),
    Setting(
        "rules",
        "The paper's rules, or those of the released code with its bugs.",
        tuple(RULES),
    ),
)
"""``memory`` and ``full_plan`` concern the prompt alone: the agent keeps them and the service only
records them. It enforces all others, ``common_sense`` in what it says of the environment's
rules."""

_TEXT_ONLY = {"text_only": "on", "previous_image": "none", "hand": "0"}

NAMED: Mapping[str, Mapping[str, str]] = {
    "baseline": {},
    "detailed": {"feedback": "detailed"},
    "no-feedback": {"feedback": "none"},
    "no-hand": {"hand": "0"},
    "no-memory": {"memory": "off"},
    "no-previous-image": {"previous_image": "none"},
    "text-only-simple": _TEXT_ONLY,
    "text-only-detailed": {**_TEXT_ONLY, "feedback": "detailed"},
    "text-only-none": {**_TEXT_ONLY, "feedback": "none"},
}
"""The conditions of the paper: what each changes of the baseline."""


def named_condition(name: str) -> dict[str, str]:
    """A full condition by the name that the paper's table has for it. Raises UnknownNameError."""
    if name not in NAMED:
        raise UnknownNameError("condition of asgard", name, NAMED)
    return {setting.name: setting.default for setting in SETTINGS} | dict(NAMED[name])


def condition_name(condition: Condition) -> str | None:
    """The paper's name of a condition, whatever its rules are; None if it has none."""
    asked = {**condition, "rules": ""}
    found = (name for name in NAMED if {**named_condition(name), "rules": ""} == asked)
    return next(found, None)


def check_condition(condition: Condition) -> None:
    """Raises ConditionError where settings do not go together: text only shows neither a hand nor a
    picture from before."""
    if condition["text_only"] == "off":
        return
    wrong = {name: value for name, value in _TEXT_ONLY.items() if condition[name] != value}
    if wrong:
        asked = " and ".join(f"{name}={condition[name]}" for name in wrong)
        mended = " and ".join(f"{name}={value}" for name, value in wrong.items())
        raise ConditionError(
            f"text_only=on shows no pictures, but {asked}; set {mended} as well, as the condition"
            " text-only-simple does"
        )


def rules_of(condition: Condition) -> Rules:
    """The rules that decide under a condition."""
    return RULES[condition["rules"]]


def feedback_of(condition: Condition) -> FeedbackMode:
    """The feedback that an agent gets on its actions under a condition."""
    return FeedbackMode(condition["feedback"])


# --- The release's code for a condition, which names its result folders (docs/asgard.md,
# "Conditions")

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

EXAMPLE = "T0_Fs_H60_C0_P2_I1_R1_S1_E0_M8192"
"""The baseline's code."""

_KIND = "condition of asgard"


@dataclass(frozen=True, slots=True)
class Declared:
    """What the release's code says of the model's side, which no setting of ours does.

    ``temperature`` is 0 … 1; ``max_tokens`` of one reply.
    """

    prompt_version: int = 2
    temperature: float = 0.0
    max_tokens: int = 8192


def write_suffix(condition: Condition, declared: Declared | None = None) -> str:
    """The code of a condition. It leaves out the rules, as the release has only one set."""
    agent = declared or Declared()
    codes = {letter: values[condition[name]] for letter, (name, values) in _CODES.items()}
    codes |= {
        "H": f"{int(condition['hand']):02d}",
        "P": str(agent.prompt_version),
        "E": str(int(100 * agent.temperature)),
        "M": str(agent.max_tokens),
    }
    return "_".join(letter + codes[letter] for letter in _ORDER)


def read_suffix(suffix: str) -> tuple[dict[str, str], Declared]:
    """The settings that a code names, all but ``rules``, and what it declares.

    Raises MalformedNameError, which says what part of the code is wrong.
    """
    parts = {part[:1]: part[1:] for part in suffix.split("_")}
    if "".join(parts) != _ORDER or suffix.count("_") != len(_ORDER) - 1:
        form = f"the letters of a code are {' '.join(_ORDER)}, as in {EXAMPLE}"
        raise MalformedNameError(_KIND, suffix, form)
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
    not listed. What a code declares about the model is ignored here.

    Taking a condition out raises MalformedNameError for a code that is none.
    """

    def __getitem__(self, name: str) -> Mapping[str, str]:
        return read_suffix(name)[0] if _is_code(name) else NAMED[name]

    def __contains__(self, name: object) -> bool:
        return name in NAMED or (isinstance(name, str) and _is_code(name))

    def __iter__(self) -> Iterator[str]:
        return iter(NAMED)

    def __len__(self) -> int:
        return len(NAMED)


def _is_code(name: str) -> bool:
    """Whether a name is a code, or was meant to be one: others have no such letters."""
    return "_" in name and name[:1] in _ORDER


def _value(suffix: str, letter: str, code: str, values: Mapping[str, str]) -> str:
    if code not in values:
        form = f"its {letter} is {code!r}; it has to be one of {', '.join(values)}"
        raise MalformedNameError(_KIND, suffix, form)
    return values[code]


def _number(suffix: str, letter: str, code: str) -> int:
    if not (code.isascii() and code.isdigit()):
        form = f"its {letter} is {code!r}; it has to be a whole number"
        raise MalformedNameError(_KIND, suffix, form)
    return int(code)
