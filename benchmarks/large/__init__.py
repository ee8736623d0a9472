"""Hundreds of millions of rows on one machine, beside a tenth of them."""
