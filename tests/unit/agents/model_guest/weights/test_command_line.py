from __future__ import annotations

from pathlib import Path

import pytest
from model_guest.options import Settings, agent_parser, read_settings
from model_guest.weights import Score, Switch, WeightsOptions
from model_guest.weights.options import add_weights_options, read_weights
from model_guest.weights.sessions import serve

from env_service.sandbox.agent_manifest import read_manifest
from env_service.sandbox.agents import agent_folders


def read(*arguments: str) -> WeightsOptions:
    parser = agent_parser("local", "", "")
    add_weights_options(parser)
    return read_weights(parser, parser.parse_args(["--model", "m", *arguments]))


def test_defaults(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HOUSEGUEST_SEED", raising=False)
    assert read() == WeightsOptions("m")


def test_everything() -> None:
    chosen = read(
        *("--revision", "abc", "--device", "cuda:1", "--dtype", "float16", "--batch", "3"),
        *("--allow-download", "--trust-remote-code", "--pictures", "off"),
        *("--template-set", "enable_thinking=false", "--template-set", "style=short"),
        *("--reply-tokens", "99", "--temperature", "0.5", "--top-p", "0.9", "--top-k", "7"),
        *("--sampling-seed", "5", "--guided", "on", "--score", "mean", "--score-open"),
    )
    assert chosen == WeightsOptions(
        model="m",
        revision="abc",
        device="cuda:1",
        dtype="float16",
        allow_download=True,
        trust_remote_code=True,
        pictures=False,
        template={"enable_thinking": False, "style": "short"},
        reply_tokens=99,
        temperature=0.5,
        top_p=0.9,
        top_k=7,
        seed=5,
        batch=3,
        guided=Switch.ON,
        score=Score.MEAN,
        score_end=False,
    )


def test_draws_follow_the_runs_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOUSEGUEST_SEED", "11")
    assert read().seed == 11


@pytest.mark.parametrize(
    "wrong", [("--batch", "0"), ("--top-p", "2"), ("--temperature", "-1"), ("--reply-tokens", "x")]
)
def test_what_is_out_of_range_is_wrong_usage(
    wrong: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        read(*wrong)
    assert caught.value.code == 2
    assert wrong[0].lstrip("-").replace("-", "_") in capsys.readouterr().err.replace("-", "_")


def test_choosing_reaches_the_guests_settings() -> None:
    parser = agent_parser("local", "", "")
    add_weights_options(parser)
    settings = read_settings(parser, parser.parse_args(["--model", "m", "--choose"]))
    assert settings.choose


def test_the_manifest_declares_the_options_that_the_agent_has() -> None:
    parser = agent_parser("local", "", "")
    add_weights_options(parser)
    manifest = read_manifest(agent_folders()["local"])
    has = {name: action for action in parser._actions for name in action.option_strings}
    declared = {option.name: option for option in manifest.options}
    by_hand = {"--max-cost", "--max-tokens", "--prices", "--check", "--help", "-h"}
    assert set(declared) == set(has) - by_hand
    for name, option in declared.items():
        if option.default:
            assert type(has[name].default)(option.default) == has[name].default, name
        assert option.choices == tuple(has[name].choices or ()), name
    assert manifest.shared


def test_without_a_seat_nothing_is_loaded(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("HOUSEGUEST_TOKEN", raising=False)
    monkeypatch.delenv("HOUSEGUEST_TOKENS", raising=False)
    assert serve("local", "1.0", WeightsOptions(str(tmp_path)), Settings()) == 2
    assert "houseguest run --agent local" in capsys.readouterr().err
