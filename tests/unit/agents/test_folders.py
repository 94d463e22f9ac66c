"""Each agent's folder is whole: what a reader, an image and a house look for is there."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
AGENTS = sorted(path.parent for path in (ROOT / "agents").glob("*/agent.toml"))


@pytest.mark.parametrize("folder", AGENTS, ids=lambda folder: folder.name)
class TestAgents:
    """All folders that ``houseguest agents`` lists."""

    def test_it_holds_what_each_of_them_does(self, folder: Path) -> None:
        wanted = ["Dockerfile", "README.md"]
        # Nobody hands in a person, or a server that waits for outside clients.
        wanted += ["houseguest-agent.yaml"] if folder.name not in ("human", "mcp") else []
        wanted += ["package.json"] if _in_javascript(folder) else ["requirements.txt", "agent.py"]
        assert [name for name in wanted if not (folder / name).is_file()] == []

    def test_what_its_image_is_made_of_is_there_and_sent_to_the_builder(self, folder: Path) -> None:
        ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
        lines = (folder / "Dockerfile").read_text(encoding="utf-8").splitlines()
        copies = [line.split()[1:-1] for line in lines if line.startswith("COPY ")]
        own = [copy for copy in copies if not any(word.startswith("--from=") for word in copy)]
        sources = [word for copy in own for word in copy if not word.startswith("--")]
        made_of = "package.json" if _in_javascript(folder) else "agent.py"
        assert any(source.endswith(f"{folder.name}/{made_of}") for source in sources)
        assert [source for source in sources if not (ROOT / source).exists()] == []
        assert [source for source in sources if source.split("/")[0] in ignored] == []

    def test_its_image_runs_as_a_user_without_rights(self, folder: Path) -> None:
        lines = (folder / "Dockerfile").read_text(encoding="utf-8").splitlines()
        assert "USER 10001:10001" in lines


def _in_javascript(folder: Path) -> bool:
    return (folder / "package.json").is_file()
