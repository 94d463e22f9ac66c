"""The settings from the person, or from `houseguest play`."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass

EXAMPLES = """\
examples, with HOUSEGUEST_ADDRESS and HOUSEGUEST_TOKEN of a session in the environment:
  python agent.py --player ada
  python agent.py --player ada --browser --no-open
"""


@dataclass(frozen=True, slots=True)
class Settings:
    """``player`` is a pseudonym, or empty. ``port`` 0 uses a free one."""

    player: str = ""
    browser: bool = False
    port: int = 0
    open_page: bool = True
    pictures: bool = True

    def configuration(self) -> dict[str, str]:
        """The declaration stored with the run."""
        face = "browser" if self.browser else "terminal"
        return {"player": self.player, "face": face} if self.player else {"face": face}


def read_settings(arguments: Sequence[str] | None = None) -> Settings:
    """Reads the command line; exits with status 2 if it is wrong."""
    parser = argparse.ArgumentParser(
        description="Lets a person play the episodes of a run.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--player", default="", metavar="NAME", help="a pseudonym")
    parser.add_argument("--browser", action="store_true", help="serve a page on 127.0.0.1")
    parser.add_argument("--page-port", type=_port, default=0, metavar="N", help="default: free one")
    parser.add_argument("--no-open", action="store_true", help="do not open the page automatically")
    parser.add_argument("--no-pictures", action="store_true", help="draw none in the terminal")
    given = parser.parse_args(arguments)
    return Settings(
        player=given.player,
        browser=given.browser,
        port=given.page_port,
        open_page=not given.no_open,
        pictures=not given.no_pictures,
    )


def _port(text: str) -> int:
    port = int(text)
    if not 0 <= port < 2**16:
        raise argparse.ArgumentTypeError(f"{port} is not from 0 to 65535")
    return port
