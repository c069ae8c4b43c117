"""Reads pages in a process of its own, which can be killed: hostile HTML can keep a parser busy for minutes.

``python -m sidecar.ingest.worker`` answers JSON lines on standard input with JSON lines on standard output.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import sys
from dataclasses import asdict
from typing import Any

from sidecar.errors import ExtractionError
from sidecar.ingest.adapters.base import Need, Page, Pages, Wishes
from sidecar.ingest.document import Document

_MEMORY_BYTES = 2_000_000_000
_LINE_LIMIT = 64_000_000
_IDLE_S = 120.0


class PageReader:
    """Reads pages through one worker process, started when first needed and put to sleep when idle.

    Args:
        timeout_s: After this long on one page the worker is killed.
    """

    def __init__(self, timeout_s: float = 20.0) -> None:
        self._timeout_s = timeout_s
        self._process: asyncio.subprocess.Process | None = None
        self._lock = asyncio.Lock()
        self._idle: asyncio.TimerHandle | None = None
        self._endings: set[asyncio.Future[tuple[bytes, bytes]]] = set()

    async def read(self, adapter: str, url: str, pages: Pages, wishes: Wishes) -> Document | Need:
        """Let an adapter read the pages at hand; give the document, or the next page that it needs.

        Raises:
            ExtractionError: It took too long, was too much for the worker, or held nothing to read.
        """
        async with self._lock:
            if self._idle is not None:
                self._idle.cancel()
            answer = await self._ask({"adapter": adapter, "url": url, "pages": _pages_json(pages), "languages": wishes.languages})
            self._sleep_later()
        if "error" in answer:
            raise _error_of(answer, url)
        return _need_of(answer["need"]) if "need" in answer else _document_of(answer["document"])

    async def warm(self) -> None:
        """Start the worker, if there is none, so that it loads its libraries while its first page is still being fetched."""
        async with self._lock:
            await self._started()
            self._sleep_later()

    def _sleep_later(self) -> None:
        if self._idle is not None:
            self._idle.cancel()
        self._idle = asyncio.get_running_loop().call_later(_IDLE_S, self._stop)

    async def _started(self) -> asyncio.subprocess.Process:
        if self._process is None or self._process.returncode is not None:
            self._process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-P",  # nothing is imported from the folder that the sidecar was started in, which may be a vault
                "-m",
                "sidecar.ingest.worker",
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
                limit=_LINE_LIMIT,
            )
        return self._process

    async def _ask(self, request: dict[str, Any]) -> dict[str, Any]:
        process = await self._started()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            async with asyncio.timeout(self._timeout_s):
                process.stdin.write(json.dumps(request).encode("ascii") + b"\n")
                await process.stdin.drain()
                line = await process.stdout.readline()
        except TimeoutError:
            await self.close()
            return {"error": f"Reading the page took longer than {self._timeout_s:g} s.", "step": "timeout"}
        except (ConnectionError, ValueError):
            line = b""
        except asyncio.CancelledError:
            self._stop()  # its answer would be taken for the next page's
            raise
        if not line:
            await self.close()
            return {"error": "The page was too much for the reader.", "step": "crash"}
        answer: dict[str, Any] = json.loads(line)
        return answer

    def _stop(self) -> None:
        """Kill the worker without waiting for its end; the next page gets a new one."""
        process, self._process = self._process, None
        if process is not None and process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            ending = asyncio.ensure_future(process.communicate())  # closes its pipes
            self._endings.add(ending)
            ending.add_done_callback(self._endings.discard)

    async def close(self) -> None:
        """Stop the worker, if there is one."""
        if self._idle is not None:
            self._idle.cancel()
        self._stop()
        if self._endings:
            await asyncio.wait(self._endings)


def _pages_json(pages: Pages) -> dict[str, Any]:
    return {name: {**asdict(page), "data": base64.b64encode(page.data).decode("ascii")} for name, page in pages.items()}


def _pages_of(value: dict[str, Any]) -> dict[str, Page]:
    return {name: Page(**{**fields, "data": base64.b64decode(fields["data"])}) for name, fields in value.items()}


def _need_of(fields: dict[str, Any]) -> Need:
    return Need(**{**fields, "accept": tuple(fields["accept"]), "languages": tuple(fields["languages"])})


def _document_of(fields: dict[str, Any]) -> Document:
    return Document(**{**fields, "images": tuple(fields["images"]), "warnings": tuple(fields["warnings"])})


def _error_of(answer: dict[str, Any], url: str) -> ExtractionError:
    known: list[type[ExtractionError]] = [ExtractionError, *ExtractionError.__subclasses__()]
    kinds = {kind.code: kind for kind in known}
    fix = answer.get("fix") or "Open it in a browser and paste the text."
    return kinds[answer.get("code", ExtractionError.code)](answer["error"], fix=fix, url=url, step=answer.get("step", "read"))


def read_pages(adapter: str, url: str, pages: Pages, wishes: Wishes) -> Document | Need:
    """Read in this very process; see :meth:`PageReader.read`. For commands that read what the owner hands them."""
    from sidecar.ingest.adapters import find_adapter

    return find_adapter(adapter).read(url, pages, wishes)


def _answer(request: dict[str, Any]) -> dict[str, Any]:
    from sidecar.ingest.adapters import Wishes

    try:
        wishes = Wishes(tuple(request["languages"]))
        found = read_pages(request["adapter"], request["url"], _pages_of(request["pages"]), wishes)
    except ExtractionError as error:
        return {"error": error.message, "fix": error.fix, "code": error.code, "step": str(error.params.get("step", "read"))}
    except RecursionError:
        return {"error": "The page is nested too deeply.", "step": "parse"}
    except MemoryError:
        return {"error": "The page was too much for the reader.", "step": "memory"}
    except Exception as error:  # noqa: BLE001 - whatever a foreign page breaks, its caller gets an answer
        return {"error": f"The page could not be read ({type(error).__name__}).", "step": "read"}
    return {"document": asdict(found)} if isinstance(found, Document) else {"need": asdict(found)}


def _load() -> None:
    """Load what every page needs before the first one comes."""
    import trafilatura

    import sidecar.ingest.adapters

    assert trafilatura
    assert sidecar.ingest.adapters


def main() -> None:
    with contextlib.suppress(ImportError, ValueError, OSError):  # not on Windows
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_BYTES, _MEMORY_BYTES))
    out = sys.stdout
    sys.stdout = sys.stderr  # a library's print must not break the protocol
    _load()
    for line in sys.stdin:
        out.write(json.dumps(_answer(json.loads(line))) + "\n")
        out.flush()


if __name__ == "__main__":
    main()
