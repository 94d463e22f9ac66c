"""The interface in a terminal, or at the end of a pipe."""
