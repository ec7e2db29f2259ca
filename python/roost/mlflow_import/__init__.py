"""Brings what an MLflow store has into a workspace: `roost import mlflow`.

A store (`store.py`) is read from a server (`rest_store.py`), a folder (`file_store.py`) or a
database (`sqlite_store.py`); `bring.py` writes it through Roost's own MLflow API and reads it back.
"""
