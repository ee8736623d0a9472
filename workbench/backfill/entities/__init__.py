"""Tables that change, as events of a backfill. Which query sees which row: ``worker.validity``."""
