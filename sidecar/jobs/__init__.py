"""Long work: a job has an id, says how far it is, and can be cancelled; the vault's state has one thread."""

from sidecar.jobs.queue import Job, Jobs, Step
from sidecar.jobs.settle import Settler
from sidecar.jobs.thread import VaultThread

__all__ = ["Job", "Jobs", "Settler", "Step", "VaultThread"]
