"""What the sidecar keeps on disk beside the notes: a cache that may be deleted, and journals that may not."""

from sidecar.store.cache import CachedNote, NoteCache
from sidecar.store.history import NoteHistory
from sidecar.store.journal import Journal
from sidecar.store.secrets import Secrets
from sidecar.store.vectors import VectorStore

__all__ = ["CachedNote", "Journal", "NoteCache", "NoteHistory", "Secrets", "VectorStore"]
