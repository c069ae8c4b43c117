"""Sentences about the watchlist that a person reads, in both languages."""

from __future__ import annotations

from sidecar.feeds.preference import Preference
from sidecar.settings import Language


def schedule_sentence(preference: Preference, language: Language) -> str:
    """Say when what is fetched and when the brief comes."""
    schedule = preference.schedule
    count = sum(subscription.enabled for subscription in preference.subscriptions())
    windows = [window.replace(" ", "") for window in schedule.windows]
    if language == "zh-CN":
        when = "、".join(windows) if windows else "全天"
        return f"每天 {when} 抓取 {count} 个订阅；{schedule.brief_hour}:00 起出日报。"
    when = " and ".join(windows) if windows else "at any time"
    what = "1 subscription is" if count == 1 else f"{count} subscriptions are"
    return f"Every day {when}, {what} fetched; brief from {schedule.brief_hour}:00."
