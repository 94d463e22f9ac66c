"""Plans that reach a goal, made with full knowledge."""
