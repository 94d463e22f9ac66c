"""What answers are worth (spec section 6)."""
