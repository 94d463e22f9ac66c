"""Options of their own for what the prompts of benchmarks vary: short for --prompt-setting."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import dataclass


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
