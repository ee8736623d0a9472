"""Single keys of a funnel, for a person to look at; ``funnel.summary`` has the figures of all."""
