"""One key of a funnel, for a person. What is said of all keys lives in ``funnel.summary``."""
