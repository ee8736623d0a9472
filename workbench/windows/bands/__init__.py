"""Moving quantiles along a partition, prepared to be drawn and changed; calls stand below."""
