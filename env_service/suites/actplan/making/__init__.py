"""Makes household activities: descriptions, circumstances, and counterfactual variants of them."""
