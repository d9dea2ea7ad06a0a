"""The endpoints: one router for each noun."""
