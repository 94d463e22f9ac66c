"""Options of their own for what prompts vary."""

from __future__ import annotations

import pytest
from model_guest.options import Settings, agent_parser, read_settings


def chosen(*words: str) -> Settings:
    parser = agent_parser("vlm", "d", "e")
    return read_settings(parser, parser.parse_args(words))


def test_nothing_given_leaves_it_to_the_runs_condition() -> None:
    assert chosen().prompt_settings == {}


@pytest.mark.parametrize(
    ("words", "setting"),
    [
        (("--memory", "off"), {"memory": "off"}),
        (("--memory", "on"), {"memory": "on"}),
        (("--plan", "full"), {"full_plan": "on"}),
        (("--plan", "next"), {"full_plan": "off"}),
        (("--common-sense", "on"), {"common_sense": "on"}),
        (("--examples", "off"), {"examples": "off"}),
        (("--prompter", "few-shot"), {"prompter": "few-shot"}),
        (("--memory", "off", "--prompt-setting", "memory=off"), {"memory": "off"}),
        (("--plan", "next", "--prompt-setting", "answer=json"),
         {"full_plan": "off", "answer": "json"}),
    ],
)  # fmt: skip
def test_what_is_given_is_a_setting_and_is_declared(
    words: tuple[str, ...], setting: dict[str, str]
) -> None:
    settings = chosen(*words)
    assert settings.prompt_settings == setting
    declared = settings.configuration()
    assert {f"prompt.{name}": value for name, value in setting.items()}.items() <= declared.items()


def test_two_that_contradict_each_other(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        chosen("--plan", "next", "--prompt-setting", "full_plan=on")
    assert "--plan next and --prompt-setting full_plan=on" in capsys.readouterr().err
