"""HTTP: one router for each noun. Only this folder, `app.py` and `serve.py` know FastAPI."""
