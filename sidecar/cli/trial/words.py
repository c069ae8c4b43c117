"""The words of the trial, in both languages."""

from __future__ import annotations

from dataclasses import dataclass

from sidecar.settings import Language


@dataclass(frozen=True, slots=True)
class TrialWords:
    title: str
    nothing: str
    keys: str
    help: str
    bury: str
    spare: str
    promote: str
    open: str
    reasons: str
    linked: str
    finish: str
    ask_use: str
    ask_days: str
    ask_filter: str
    done: str
    broken_off: str
    undone: str


_EN = TrialWords(
    title="Trial: {} notes, {} decided",
    nothing="Nothing is on the docket this week.",
    keys="b bury  s spare  p promote  o open  / filter  u undo  ? help  q finish",
    help=(
        "Each note here was not read in 90 days, not cited in 180, not injected in 30, is linked from nothing that lives, and"
        " unchanged for 90 days; or its time in the inbox is over.\n\n"
        "b  bury it: it moves to the graveyard and can come back\ns  spare it for some days\n"
        "p  promote it: say when you will use it\nu  take the last decision back\nq  carry out what you decided. What was shown and"
        " not decided is spared for 30 days. Ctrl+C leaves without any decision."
    ),
    bury="bury",
    spare="spare",
    promote="promote",
    open="open",
    reasons="Why: ",
    linked="Linked from: ",
    finish="Bury {}, promote {}, spare {}; Enter carries it out, Esc goes back",
    ask_use="When will it be used?",
    ask_days="Spare for how many days?",
    ask_filter="Show only:",
    done="Buried {}, promoted {}, spared {}.",
    broken_off="Left without any decision.",
    undone="Taken back.",
)
_ZH = TrialWords(
    title="过堂：{} 条，已定 {} 条",
    nothing="本周处决名单为空。",
    keys="b 埋葬  s 赦免  p 提升  o 打开  / 过滤  u 撤销  ? 帮助  q 结束",
    help=(
        "这里的每条笔记：90 天未读、180 天未引用、30 天未注入、没有活着的反向链接、90 天未改；或在暂存已到期。\n\n"
        "b  埋葬：移入墓地，可复活\ns  赦免若干天\np  提升：说出何时会用\nu  撤销上一个决定\n"
        "q  执行决定。看过而未选的赦免 30 天。Ctrl+C 离开则不作任何决定。"
    ),
    bury="埋葬",
    spare="赦免",
    promote="提升",
    open="打开",
    reasons="理由：",
    linked="链接自：",
    finish="埋葬 {}，提升 {}，赦免 {}；回车执行，Esc 返回",
    ask_use="何时会用到它？",
    ask_days="赦免多少天？",
    ask_filter="只看：",
    done="已埋葬 {}，提升 {}，赦免 {}。",
    broken_off="已离开，未作任何决定。",
    undone="已撤销。",
)


def words_of(language: Language) -> TrialWords:
    return _ZH if language == "zh-CN" else _EN
