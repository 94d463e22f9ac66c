"""The command line of every model agent, and the settings that it produces."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

from .examples import ExampleOptions, add_example_options, read_examples
from .pictures import ENCODINGS
from .prices import Prices, PricesError, load_prices


class GuestParser(argparse.ArgumentParser):
    """A parser whose errors are one line: `houseguest run` shows the last lines of an agent, and
    its user did not type this program's command line."""

    def error(self, message: str) -> NoReturn:
        """Exits with status 2 for wrong usage."""
        self.exit(2, f"{self.prog}: {message}\n")


def agent_parser(name: str, description: str, examples: str) -> argparse.ArgumentParser:
    """A parser with the options of every agent; each agent adds those of its model."""
    parser = GuestParser(
        prog=name,
        description=description,
        epilog=examples,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    _add_prompting(parser.add_argument_group("prompts"))
    _add_accounts(parser.add_argument_group("accounts"))
    parser.add_argument(
        "--check",
        action="store_true",
        help="test the model instead of playing; prints one JSON document",
    )
    return parser


def _add_prompting(prompting: argparse._ArgumentGroup) -> None:
    prompting.add_argument(
        "--prompts",
        type=Path,
        metavar="DIR",
        help="a prompt set for every suite; default: the one that each suite provides",
    )
    prompting.add_argument(
        "--prompt-setting",
        action="append",
        default=[],
        type=named_value,
        metavar="NAME=VALUE",
        help="a setting of the prompt set, such as plan=off; may be repeated",
    )
    add_prompt_options(prompting)
    add_example_options(prompting)
    prompting.add_argument(
        "--history",
        type=_turns,
        metavar="N",
        help='past turns shown to the model, or "all"; default: the prompt set\'s',
    )
    prompting.add_argument(
        "--history-pictures",
        type=_turns,
        metavar="N",
        help='of these, how many with their pictures, or "all"; default: the prompt set\'s',
    )
    prompting.add_argument(
        "--pictures",
        choices=(*ENCODINGS, "off"),
        default="png",
        help="the file format of pictures, or off for a model without vision; default: png",
    )
    prompting.add_argument(
        "--reask",
        type=count,
        default=0,
        metavar="N",
        help="how often the model is asked again when its reply cannot be read; default: 0",
    )


def _add_accounts(paying: argparse._ArgumentGroup) -> None:
    paying.add_argument(
        "--prices", type=Path, metavar="FILE", help="TOML file with US dollars per million tokens"
    )
    paying.add_argument(
        "--max-cost",
        type=_amount,
        metavar="USD",
        help="for an agent that you start yourself: leave the run after this cost",
    )
    paying.add_argument(
        "--max-tokens",
        type=count,
        metavar="N",
        help="for an agent that you start yourself: leave the run after so many, sent and received",
    )


def read_settings(parser: argparse.ArgumentParser, arguments: argparse.Namespace) -> Settings:
    """The chosen settings; exits with status 2 if a file is invalid."""
    prices = Prices()
    if arguments.prices is not None:
        try:
            prices = load_prices(arguments.prices)
        except PricesError as error:
            parser.error(str(error))
    return Settings(
        prompts=arguments.prompts,
        prompt_settings=prompt_settings(parser, arguments),
        examples=read_examples(parser, arguments),
        history=arguments.history,
        history_pictures=arguments.history_pictures,
        pictures=arguments.pictures,
        reask=arguments.reask,
        choose=getattr(arguments, "choose", False),
        prices=prices,
        budget=SpendingBudget(arguments.max_cost, arguments.max_tokens),
    )


def named_value(text: str) -> tuple[str, str]:
    """Reads NAME=VALUE. Raises ArgumentTypeError, as the other readers for argparse do."""
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form NAME=VALUE")
    return name, value


def count(text: str) -> int:
    """Reads a whole number of 0 or more."""
    try:
        value = int(text)
    except ValueError:
        value = -1
    if value < 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of 0 or more")
    return value


def positive(text: str) -> float:
    """Reads a number above 0."""
    value = _amount(text)
    if not value:
        raise argparse.ArgumentTypeError("it must be above 0")
    return value


def _turns(text: str) -> int:
    return ALL if text == "all" else count(text)


def _amount(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of 0 or more")
    return value


# --- A user's choices about an agent, except its model


@dataclass(frozen=True, slots=True)
class SpendingBudget:
    """The limits at which an agent stops itself; None for no limit. They are for agents that you
    start yourself: a run of the service has separate budgets, over all its sessions."""

    cost_usd: float | None = None
    tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Settings:
    """An agent's settings.

    Attributes:
        prompts: A folder with a prompt set for every suite; None for the one that each suite
            provides.
        prompt_settings: The user's choices among the settings of prompt sets, by name.
        examples: Which solved tasks prompts show, if their set has any.
        history: The number of past turns to show; None for the prompt set's number.
        history_pictures: The number of past turns to show with their pictures; None for the
            prompt set's number.
        pictures: The file format of pictures, one of pictures.ENCODINGS, or "off".
        reask: How often to ask a model again when its reply cannot be read.
        choose: List all legal replies in each request, if that is possible.
    """

    prompts: Path | None = None
    prompt_settings: Mapping[str, str] = field(default_factory=dict)
    examples: ExampleOptions = field(default_factory=ExampleOptions)
    history: int | None = None
    history_pictures: int | None = None
    pictures: str = "png"
    reask: int = 0
    choose: bool = False
    prices: Prices = field(default_factory=Prices)
    budget: SpendingBudget = SpendingBudget()

    def configuration(self) -> dict[str, str]:
        """Everything that could change a reply, by name; stored with the run."""
        declared = {f"prompt.{name}": value for name, value in self.prompt_settings.items()}
        if self.history is not None:
            declared["history"] = str(self.history)
        if self.history_pictures is not None:
            declared["history_pictures"] = str(self.history_pictures)
        declared["picture_files"] = self.pictures
        declared["reask"] = str(self.reask)
        if self.choose:
            declared["choose"] = "on"
        return declared


ALL = 1_000_000_000
"""As a number of turns: all of them."""


# --- Separate options for prompt settings of benchmarks: short forms of --prompt-setting


@dataclass(frozen=True, slots=True)
class _Option:
    """An option, the prompt setting that it sets, and the setting's value for each option value."""

    name: str
    setting: str
    values: Mapping[str, str]
    help: str


_ON_OFF = {"on": "on", "off": "off"}
_OPTIONS = (
    _Option(
        "--memory",
        "memory",
        _ON_OFF,
        "whether the model keeps notes for its later turns; default: as the run's condition says",
    ),
    _Option(
        "--plan",
        "full_plan",
        {"full": "on", "next": "off"},
        "asgard: write down all steps that remain, or the next one alone; default: as the run's"
        " condition says",
    ),
    _Option(
        "--common-sense",
        "common_sense",
        _ON_OFF,
        "asgard: whether the prompt states common-sense rules; default: as the run's condition"
        " says",
    ),
    _Option(
        "--examples",
        "examples",
        _ON_OFF,
        "actplan, alfred, asgard: whether the prompt holds worked examples; default: on",
    ),
    _Option(
        "--prompter",
        "prompter",
        {name: name for name in ("zero-shot", "few-shot", "cot", "tot")},
        "babybench: how a question is asked; default: as the run's condition says",
    ),
)


def add_prompt_options(group: argparse._ArgumentGroup) -> None:
    """Adds the options; an option that is not given is None."""
    for option in _OPTIONS:
        group.add_argument(option.name, choices=tuple(option.values), help=option.help)


def prompt_settings(
    parser: argparse.ArgumentParser, arguments: argparse.Namespace
) -> dict[str, str]:
    """All prompt settings on the command line, by name.

    Exits with status 2 if one is given twice with two values.
    """
    chosen = dict(arguments.prompt_setting)
    for option in _OPTIONS:
        given = getattr(arguments, option.name.strip("-").replace("-", "_"))
        if given is None:
            continue
        value = option.values[given]
        if chosen.setdefault(option.setting, value) != value:
            parser.error(
                f"{option.name} {given} and --prompt-setting"
                f" {option.setting}={chosen[option.setting]} contradict each other"
            )
    return chosen
