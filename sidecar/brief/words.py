"""The words of a brief, in both languages."""

from __future__ import annotations

from dataclasses import dataclass

from sidecar.settings import Language


@dataclass(frozen=True, slots=True)
class BriefWords:
    title: str
    worth: str
    rest: str
    skipped: str
    why: str
    also: str
    no_worth: str
    nothing_new: str
    other: str
    count_new: str
    count_worth: str
    count_failed: str
    ranked: str
    waiting: str
    partly: str
    judge_failed: str
    over_budget: str
    skip_tier: str
    left_out: str
    failed: str
    unreadable: str
    next_to: str
    week: str
    month: str
    sep: str
    reasons: dict[str, str]
    statuses: dict[str, str]


_EN = BriefWords(
    title="Daily brief",
    worth="Worth reading",
    rest="The rest, by theme",
    skipped="Left out and failed",
    why="Why for you: ",
    also="also in ",
    no_worth="Nothing was judged worth the time today.",
    nothing_new="Nothing new today.",
    other="Other",
    count_new="{} new",
    count_worth="{} worth reading",
    count_failed="{} subscriptions skipped",
    ranked="Ranked by your themes and notes, not judged.",
    waiting="{} items wait for a judge; nothing here pretends that they were read.",
    partly="{} of {} are judged; the rest waits.",
    judge_failed="Judged without a model for {} items: {}",
    over_budget="{} items were not judged: the day's tokens are used up.",
    skip_tier="{} judged not worth the time",
    left_out="Left out unjudged: ",
    failed="{}: {}",
    unreadable="its text could not be read",
    next_to="not brought in full: {}",
    week="Week of {}",
    month="Month of {}",
    sep=" · ",
    reasons={
        "theme-reject": "a theme refuses it", "no-body": "no text", "stale": "too old", "too-short": "too short",
        "skip-kind": "kind left out",
        "below-score": "score too low", "no-match": "no theme hit", "redline": "red line", "duplicate": "twice",
    },
    statuses={
        "failed": "failed", "unavailable": "not available", "needs_login": "needs a login", "rate_limited": "keeps programs off for now",
    },
)  # fmt: skip
_ZH = BriefWords(
    title="信息日报",
    worth="值得读",
    rest="其余（按主题）",
    skipped="跳过与失败",
    why="为什么：",
    also="另见 ",
    no_worth="今天没有判为值得看的条目。",
    nothing_new="今天没有新条目。",
    other="其他",
    count_new="{} 条新",
    count_worth="{} 条值得读",
    count_failed="{} 个订阅跳过",
    ranked="按你的主题与笔记排序，未经判断。",
    waiting="{} 条待判；这里不假装已经读过。",
    partly="已判 {} / {} 条，其余待判。",
    judge_failed="有 {} 条未经模型判断：{}",
    over_budget="{} 条未判：今天的 token 预算已用完。",
    skip_tier="{} 条判为不值当",
    left_out="未判先略：",
    failed="{}：{}",
    unreadable="正文读不到",
    next_to="未能收全文：{}",
    week="{} 这一周",
    month="{} 这一月",
    sep=" · ",
    reasons={
        "theme-reject": "主题排除", "no-body": "没有正文", "stale": "过旧", "too-short": "太短", "skip-kind": "跳过的类型",
        "below-score": "得分过低", "no-match": "未命中主题", "redline": "红线", "duplicate": "重复",
    },
    statuses={"failed": "失败", "unavailable": "不可用", "needs_login": "需要登录", "rate_limited": "暂时被风控"},
)  # fmt: skip


def words_of(language: Language) -> BriefWords:
    return _ZH if language == "zh-CN" else _EN
