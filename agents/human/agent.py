"""An agent that a person plays, in the terminal or in the browser."""

from __future__ import annotations

from human_guest.main import main

if __name__ == "__main__":
    raise SystemExit(main())
