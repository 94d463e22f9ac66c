"""A world for Houseguest: the household rooms at dusk."""
