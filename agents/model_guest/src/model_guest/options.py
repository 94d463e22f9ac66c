"""The command line that every model agent has, and the settings that it makes."""

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
        """Ends the program with status 2, wrong usage."""
        self.exit(2, f"{self.prog}: {message}\n")


def agent_parser(name: str, description: str, examples: str) -> argparse.ArgumentParser:
    """A parser with the options of every agent; an agent adds those of its model."""
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
        help="a prompt set for every suite; default: the one that each suite brings",
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
        help="the files that pictures come as, or off for a model that sees none; default: png",
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
        "--prices", type=Path, metavar="FILE", help="TOML file with US dollars a million tokens"
    )
    paying.add_argument(
        "--max-cost",
        type=_amount,
        metavar="USD",
        help="for an agent started by hand: leave the run after so much",
    )
    paying.add_argument(
        "--max-tokens",
        type=count,
        metavar="N",
        help="for an agent started by hand: leave the run after so many, sent and received",
    )


def read_settings(parser: argparse.ArgumentParser, arguments: argparse.Namespace) -> Settings:
    """The settings that were chosen; a file that is no good ends the program with status 2."""
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
    """Reads NAME=VALUE. For argparse: raises ArgumentTypeError, as the other readers do."""
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form NAME=VALUE")
    return name, value


def count(text: str) -> int:
    """Reads a whole number from 0."""
    try:
        value = int(text)
    except ValueError:
        value = -1
    if value < 0:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number from 0")
    return value


def positive(text: str) -> float:
    """Reads a number above 0."""
    value = _amount(text)
    if not value:
        raise argparse.ArgumentTypeError("it has to be above 0")
    return value


def _turns(text: str) -> int:
    return ALL if text == "all" else count(text)


def _amount(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 0")
    return value


# --- What a user chooses about an agent, apart from its model


@dataclass(frozen=True, slots=True)
class SpendingBudget:
    """Where an agent stops by itself. None: nowhere. For agents started by hand: a run of the
    service has budgets of its own, over all its sessions."""

    cost_usd: float | None = None
    tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Settings:
    """An agent's settings.

    ``prompts``: a folder with a prompt set for every suite; None takes the one that each suite
    brings. ``prompt_settings``: what prompt sets let a user choose, by name. ``examples``: which
    solved tasks prompts show, where their set has some. ``history`` and ``history_pictures``: past
    turns shown, and past turns shown with their pictures; None leaves it to the prompt set.
    ``pictures``: the files that pictures come as, one of pictures.ENCODINGS, or "off". ``reask``:
    how often a model is asked again when its reply cannot be read. ``choose``: list all legal
    replies in each request, where that can be done.
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
        """All that could change a reply, by name; stored with the run."""
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
"""As a number of turns: every one of them."""


# --- Options of their own for what the prompts of benchmarks vary: short for --prompt-setting


@dataclass(frozen=True, slots=True)
class _Option:
    """An option, the prompt setting that it is short for, and the setting's value by its own."""

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
        "asgard: whether rules that common sense has are told; default: as the run's condition"
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
    """Adds the options; what is not given is None."""
    for option in _OPTIONS:
        group.add_argument(option.name, choices=tuple(option.values), help=option.help)


def prompt_settings(
    parser: argparse.ArgumentParser, arguments: argparse.Namespace
) -> dict[str, str]:
    """All prompt settings that were given, by name.

    One that is given twice, as two values, ends the program with status 2.
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
