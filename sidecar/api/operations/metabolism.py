"""Signals, the docket, health, promotion, chewing. Nothing here buries or deletes."""

from __future__ import annotations

import asyncio

from sidecar.api.models.metabolism import (
    ChewAnswer,
    ChewEntry,
    ChewRequest,
    ChewWriteAnswer,
    ChewWriteRequest,
    ConditionInfo,
    DocketAnswer,
    DocketEntry,
    DocketRequest,
    HealthAnswer,
    HealthRequest,
    PromoteAnswer,
    PromoteRequest,
    SignalsAnswer,
    SignalsRequest,
)
from sidecar.api.operations.base import Operation, find_note
from sidecar.api.services import Services
from sidecar.metabolism.docket import Judgement
from sidecar.metabolism.health import CORE_CAP


async def _signals(services: Services, request: SignalsRequest) -> SignalsAnswer:
    def record() -> SignalsAnswer:
        paths = [find_note(services, name) for name in request.notes]
        days = services.metabolism.record(request.kind, paths, request.door, request.context)
        return SignalsAnswer(recorded=paths, renews_days=days)

    return await services.thread.run(record)


async def _docket(services: Services, request: DocketRequest) -> DocketAnswer:
    await asyncio.to_thread(services.metabolism.look_at_git)

    def look() -> DocketAnswer:
        view, listed = services.metabolism.docket()
        shown = listed
        if request.all or request.note:
            shown = services.metabolism.judgements(view)
        if request.note:
            path = find_note(services, request.note)
            shown = [one for one in shown if one.path == path]
        budget = services.config().trial.budget
        since = view.signals.observed_since
        return DocketAnswer(
            now=view.now.isoformat(timespec="seconds"),
            observed_since=since.isoformat(timespec="seconds") if since else "",
            entries=[_entry(one) for one in shown],
            budget=budget,
            room_this_week=services.metabolism.room(view, budget),
        )

    return await services.thread.run(look)


def _entry(one: Judgement) -> DocketEntry:
    value = one.as_json()
    reasons = {name: ConditionInfo(**condition) for name, condition in value.pop("reasons").items()}
    return DocketEntry(**value, reasons=reasons)


async def _health(services: Services, request: HealthRequest) -> HealthAnswer:
    await asyncio.to_thread(services.metabolism.look_at_git)
    return HealthAnswer(**await services.thread.run(services.metabolism.health))


async def _promote(services: Services, request: PromoteRequest) -> PromoteAnswer:
    def promote() -> PromoteAnswer:
        path = find_note(services, request.note)
        done = services.promotion.promote(
            path, request.use_when, to=request.to, sentence=request.sentence, displace=request.displace, door=request.door
        )
        return PromoteAnswer(path=done.path, target=done.target, layer=done.layer, displaced=done.displaced)

    return await services.thread.run(promote)


async def _chew(services: Services, request: ChewRequest) -> ChewAnswer:
    def look() -> ChewAnswer:
        view = services.metabolism.view()
        found = services.metabolism.chew_list(view)
        core = sum(layer == "core" for layer in view.layers.values())
        return ChewAnswer(
            entries=[ChewEntry(path=one.path, title=one.title, days=one.days, last=one.last) for one in found], core=core, cap=CORE_CAP
        )

    return await services.thread.run(look)


async def _chew_write(services: Services, request: ChewWriteRequest) -> ChewWriteAnswer:
    def write() -> ChewWriteAnswer:
        paths = [find_note(services, name) for name in request.notes]
        path, displaced = services.promotion.write_core(paths, request.title, request.sentence, request.use_when, request.displace)
        return ChewWriteAnswer(path=path, displaced=displaced)

    return await services.thread.run(write)


OPERATIONS = (
    Operation("POST", "/api/kb/signals", "Record that notes were read or cited", SignalsRequest, SignalsAnswer, _signals),
    Operation("GET", "/api/kb/docket", "Notes that wait for the owner, with reasons", DocketRequest, DocketAnswer, _docket),
    Operation("GET", "/api/kb/health", "How the vault lives, and what needs the owner", HealthRequest, HealthAnswer, _health),
    Operation("POST", "/api/kb/promote", "Promote a note, upward only", PromoteRequest, PromoteAnswer, _promote),
    Operation("GET", "/api/kb/chew", "Much-used notes without a judgement of the owner's", ChewRequest, ChewAnswer, _chew),
    Operation("POST", "/api/kb/chew", "Write a core note in the owner's words", ChewWriteRequest, ChewWriteAnswer, _chew_write),
)
