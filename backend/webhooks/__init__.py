"""Webhooks: notices that an account wants at an address of its own, signed after Standard Webhooks."""
