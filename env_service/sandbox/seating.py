"""What a guest is told when it is started."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Seating:
    """Where to play, with a token for each of the guest's seats, and the seed."""

    address: str
    tokens: tuple[str, ...]
    seed: int

    def environment(self) -> dict[str, str]:
        """The variables that the guest finds.

        ``HOUSEGUEST_TOKEN`` is the first token, ``HOUSEGUEST_TOKENS`` all, joined by commas.
        """
        return {
            "HOUSEGUEST_ADDRESS": self.address,
            "HOUSEGUEST_TOKEN": self.tokens[0],
            "HOUSEGUEST_TOKENS": ",".join(self.tokens),
            "HOUSEGUEST_SEED": str(self.seed),
        }
