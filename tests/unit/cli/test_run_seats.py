"""Tokens that are handed over by files."""

from __future__ import annotations

from pathlib import Path

from env_service.cli.run_seats import hand_over, seat_file


def test_each_seat_has_a_file_with_its_newest_token(tmp_path: Path) -> None:
    folder = tmp_path / "seats"
    hand_over(folder, {0: "first", 1: "second"})
    hand_over(folder, {1: "third"})
    assert seat_file(folder, 0).read_text() == "first\n"
    assert seat_file(folder, 1).read_text() == "third\n"
    assert {path.name for path in folder.iterdir()} == {"seat-0", "seat-1"}
