"""What a submission's manifest may say, and how a wrong one is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from env_service.submissions.failures import ManifestError
from env_service.submissions.manifest import MOST_BYTES, Hardware, check_suite, parse_manifest
from env_service.suites.registry import suite_names

ROOT = Path(__file__).resolve().parents[3]
MANIFESTS = sorted((ROOT / "agents").glob("*/houseguest-agent.yaml"))
LEAST = "schema: 1\nname: a\nversion: '1'\ncontact: me\nsuites: [babyai]\n"

WRONG = {
    "": "must be a mapping",
    "[babyai]": "must be a mapping",
    "schema: 1\nschema: 1\n": "line 2: the key 'schema' is given twice",
    "1: 2\n": "line 1: the key 1 is not a text",
    "a: b: c": "line 1: mapping values are not allowed",
    "a: &x 1\nb: *x\n": "anchors and aliases are not allowed",
    "a: !!python/object:os.system x\n": "the tag",
    "a: !local x\n": "the tag '!local' is not allowed",
    "---\na: 1\n---\nb: 1\n": "a second document begins",
    "{" * 5000: "nested more than 6 levels deep",
    "a: " + "9" * 5000: "4300 digits",
    "a: 2026-99-99\n": "month must be in 1..12",
    "\0": "special characters are not allowed",
    LEAST.replace("schema: 1", "schema: 2"): "schema: is 2, but this service supports at most 1",
    LEAST.replace("schema: 1", "schema: yes"): "schema: is True, not a whole number",
    LEAST.replace("schema: 1\n", ""): "lacks the key 'schema'",
    LEAST.replace("contact: me\n", ""): "lacks the key 'contact'",
    LEAST.replace("name: a", "name: ''"): "name: is empty, not a text",
    LEAST.replace(
        "name: a", 'name: "a\\tb"'
    ): "name: is 'a\\tb'; it has to be one line of printable text",
    LEAST.replace(
        "name: a", "name: " + "a" * 200
    ): "name: is longer than 100 characters: shorten it",
    LEAST.replace("'1'", "1.0"): "version: is 1.0, not a text: put it in quotes",
    LEAST.replace("babyai", "babyia"): "suites: no suite 'babyia'. Did you mean 'babyai'?",
    LEAST.replace("babyai", "babyai, babyai"): "suites: has 'babyai' twice: remove one",
    LEAST.replace("[babyai]", "babyai"): "suites: is 'babyai', not a list: put it in brackets",
    LEAST.replace("[babyai]", "[]"): "suites: is an empty list; it must name at least one suite",
    LEAST.replace("[babyai]", "[1]"): "suites[0]: is 1, not a text: put it in quotes",
    LEAST + "versoin: 3\n": "unknown key 'versoin'. Did you mean 'version'? Known: schema,",
    LEAST + "hardware: {gpu: 1}\n": "unknown key 'hardware.gpu'. Did you mean 'hardware.gpus'?",
    LEAST + "hardware: 3\n": "hardware: is 3, not an object of keys and values",
    LEAST + "hardware: {memory: lots}\n": "hardware.memory: is 'lots'; it must be a size",
    LEAST + "hardware: {memory: 1}\n": "it must be a size from 16m to 16t",
    LEAST + "hardware: {cpus: .nan}\n": "hardware.cpus: is nan, not a finite number",
    LEAST + "hardware: {gpus: -1}\n": "hardware.gpus: is -1; it has to be from 0 to 64",
    LEAST + "configuration: {a: [1]}\n": "configuration.a: is [1], not a text, a number",
    LEAST + "configuration: {a: .inf}\n": "configuration.a: is inf, not a finite number",
    LEAST + "shared: maybe\n": "shared: is 'maybe', not true or false",
    LEAST + "arguments: [--n, 3]\n": "arguments[1]: is 3, not a text: put it in quotes",
    LEAST + "url: ftp://x\n": "it must begin with https:// or http://",
}


@pytest.mark.parametrize("text", WRONG)
def test_what_is_wrong_is_named_with_its_place_and_a_remedy(text: str) -> None:
    with pytest.raises(ManifestError) as caught:
        parse_manifest(text.encode(), "agent.yaml")
    message = str(caught.value)
    assert message.startswith("agent.yaml")
    assert WRONG[text] in message
    assert "\n" not in message


def test_no_more_than_so_many_bytes_are_read() -> None:
    padding = "#" * (MOST_BYTES - len(LEAST))
    assert parse_manifest(f"{LEAST}{padding}".encode()).name == "a"
    with pytest.raises(ManifestError, match="shorten it"):
        parse_manifest(f"{LEAST}{padding}#".encode())


def test_what_is_no_text_is_refused() -> None:
    with pytest.raises(ManifestError, match="not UTF-8 at byte 3"):
        parse_manifest(b"a: \xff")


def test_everything_that_a_manifest_may_say_is_read() -> None:
    read = parse_manifest(
        (
            LEAST
            + "hardware: {gpus: 1, memory: 1.5GiB, cpus: 2}\nmodel: m\nshared: true\n"
            + "configuration: {temperature: 0.5, prompt: p, greedy: true}\n"
            + 'arguments: ["--n", "3"]\nlicence: MIT\nurl: https://x\nnotes: |\n  two\n  lines\n'
        ).encode()
    )
    assert read.hardware == Hardware(1, 3 * 2**29, 2.0)
    assert read.suites == ("babyai",)
    assert read.configuration == {"temperature": 0.5, "prompt": "p", "greedy": True}
    assert read.arguments == ("--n", "3")
    assert read.shared
    assert read.notes == "two\nlines\n"


def test_what_is_left_out_has_defaults() -> None:
    read = parse_manifest(LEAST.encode())
    assert (read.hardware, read.model, read.shared) == (Hardware(), "", False)


def test_a_suite_that_the_manifest_does_not_name_is_refused() -> None:
    with pytest.raises(ManifestError, match="the manifest of a does not list 'asgard'"):
        check_suite(parse_manifest(LEAST.encode()), "asgard")


def test_the_manifests_of_our_own_agents_are_good() -> None:
    assert MANIFESTS
    for path in MANIFESTS:
        assert parse_manifest(path.read_bytes(), str(path)).suites


@pytest.mark.parametrize("agent", ["local", "random", "scripted", "typescript", "vlm"])
def test_our_own_agents_that_play_whatever_there_is_name_every_suite(agent: str) -> None:
    path = ROOT / "agents" / agent / "houseguest-agent.yaml"
    assert parse_manifest(path.read_bytes(), str(path)).suites == suite_names()


@pytest.mark.parametrize("path", MANIFESTS, ids=lambda path: path.parent.name)
def test_our_own_agents_say_of_themselves_what_their_manifests_say(path: Path) -> None:
    manifest = parse_manifest(path.read_bytes(), str(path))
    sources = (path.parent / "agent.py", path.parent / "src" / "agent.ts")
    (code,) = (each.read_text(encoding="utf-8") for each in sources if each.is_file())
    assert f'"{manifest.version}"' in code
