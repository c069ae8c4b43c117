"""What a client's registration is: which file, and how its text changes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

Change = Callable[[str, tuple[str, ...]], str]
"""Gives a file's text with the registration of a command in it."""


@dataclass(frozen=True, slots=True)
class File:
    """One settings file. ``place`` gives its path from the environment (``HOME``, ``APPDATA``, ``platform``)."""

    place: Callable[[Mapping[str, str]], str]
    install: Change
    uninstall: Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Client:
    """An agent. ``hint`` is what is left to do by hand."""

    name: str
    title: str
    files: tuple[File, ...]
    hint: str = ""
