"""HTTP: one router for each noun. Only this folder (and `app.py`, which puts it together) knows FastAPI."""
