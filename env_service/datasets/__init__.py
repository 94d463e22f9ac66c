"""Data packs: third-party data that a user downloads or imports, verified by pinned digests."""
