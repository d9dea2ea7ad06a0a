"""Hosts: machines elsewhere whose workers join with a token; what their database roles and broker users may do."""
