"""Errors of sandboxes for users to read."""


class AgentSpecError(ValueError):
    """An agent's description is wrong, so it cannot start. The message says what to mend.

    ``mend`` is the command that mends it, if one exists; the message ends with it.
    """

    def __init__(self, what: str, mend: str = "") -> None:
        super().__init__(f"{what}: {mend}" if mend else what)
        self.what = what
        self.mend = mend


class AgentStartError(RuntimeError):
    """An agent cannot be started; the message says why, and what to mend."""


class ImageMissingError(AgentStartError):
    """The engine has no image of that name."""
