"""Plans and carries out every task with full knowledge of the house."""
