"""The same actions in two worlds behind AI2-THOR's controller API: where they agree, where not."""
