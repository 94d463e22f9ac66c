"""The command line that every model guest has."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import NoReturn

from .examples.options import add_example_options, read_examples
from .pictures import ENCODINGS
from .prices import Prices, PricesError, load_prices
from .prompt_options import add_prompt_options, prompt_settings
from .settings import ALL, Budget, Settings


class GuestParser(argparse.ArgumentParser):
    """A parser whose errors are one line: `houseguest run` shows the last lines of a guest, and
    its user did not type this program's command line."""

    def error(self, message: str) -> NoReturn:
        """Ends the program with status 2, wrong usage."""
        self.exit(2, f"{self.prog}: {message}\n")


def guest_parser(name: str, description: str, examples: str) -> argparse.ArgumentParser:
    """A parser with the options of every guest; a guest adds those of its model."""
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
        help="a prompt set for every suite; default: the guest's own for the suite",
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
        help="for a guest started by hand: leave the run after so much",
    )
    paying.add_argument(
        "--max-tokens",
        type=count,
        metavar="N",
        help="for a guest started by hand: leave the run after so many, sent and received",
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
        budget=Budget(arguments.max_cost, arguments.max_tokens),
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
