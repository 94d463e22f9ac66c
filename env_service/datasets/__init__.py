"""Data packs: third-party data that a user downloads or imports, checked by pinned digests."""
