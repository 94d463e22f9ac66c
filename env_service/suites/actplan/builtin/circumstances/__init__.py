"""What makes activities counterfactual: rules, by the paper's three categories (paper, Fig. 4)."""
