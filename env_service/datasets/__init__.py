"""Data packs: third-party data that a user downloads or imports, file by file as pinned."""
