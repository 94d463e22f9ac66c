"""Houseguest's tasks of ALFRED's seven types in the household world's built-in rooms: any number by
seed, without a data pack, with commands in five wordings from a built-in grammar."""
