"""What a person clicks: the three verbs, the explorers, the step player. Figures stand below."""
