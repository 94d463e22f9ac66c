"""The distributions that ``houseguest new`` writes, before anything installs them."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from env_service.cli.new import write_distribution
from env_service.submissions.manifest import parse_manifest


def test_an_agent_can_be_submitted_as_a_container(tmp_path: Path) -> None:
    write_distribution("agent", "very_careful", tmp_path)
    package = tmp_path / "src/very_careful"
    manifest = parse_manifest((package / "houseguest-agent.yaml").read_bytes())
    project = tomllib.loads((tmp_path / "pyproject.toml").read_text())["project"]
    assert (manifest.name, manifest.version) == (project["name"], project["version"])
    assert manifest.name == "very-careful"
    options = tomllib.loads((package / "agent.toml").read_text())["option"]
    assert manifest.configuration == {each["name"][2:]: each["default"] for each in options}

    dockerfile = (tmp_path / "Dockerfile").read_text()
    (copied,) = re.findall(r"^COPY .* (\S+) /houseguest-agent.yaml$", dockerfile, re.MULTILINE)
    assert (tmp_path / copied).is_file()
    assert 'ENTRYPOINT ["python", "-m", "very_careful.agent"]' in dockerfile
