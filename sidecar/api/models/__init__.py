"""Requests and answers of the HTTP API, by room; see :mod:`sidecar.api.models.base`."""
