"""The actions that work on a state, each registered in the `ACTIONS` of its module."""
