"""Where the service of one command listens, and what it logs."""

from __future__ import annotations

import logging
from pathlib import Path

from env_service.gateway.grpc_server import private_endpoints
from env_service.gateway.runtime import service_log


def test_others_see_the_agents_socket_alone() -> None:
    with private_endpoints() as place:
        agents = Path(place.agents.removeprefix("unix:")).parent
        control = Path(place.control.removeprefix("unix:")).parent
        assert agents.stat().st_mode & 0o777 == 0o755
        assert control.stat().st_mode & 0o777 == 0o700
        assert list(agents.iterdir()) == []
        assert {path.name for path in place.folder.iterdir()} == {agents.name, control.name}
    assert not place.folder.exists()


def test_what_is_logged_goes_to_the_file_alone_and_then_as_before(tmp_path: Path) -> None:
    root, log = logging.getLogger(), logging.getLogger("house")
    before = root.handlers[:], root.level
    with service_log(tmp_path / "service.log"):
        log.info("a worker was lost")
        assert len(root.handlers) == 1
    assert (root.handlers, root.level) == before
    log.error("later")
    assert (tmp_path / "service.log").read_text(encoding="utf-8").endswith("a worker was lost\n")
    assert "later" not in (tmp_path / "service.log").read_text(encoding="utf-8")
