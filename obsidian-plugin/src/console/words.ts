import type { Locale } from "../i18n";

/** What only the console says. English is the type, as for the words that both hosts share. */
export const en = {
  placeNotes: "Notes",
  tabMap: "Map",
  tabNote: "Note",
  tabLinks: "Links",
  consoleEmptyTitle: "Open a note",
  consoleEmptyText: "Choose one from the map, or search.",
  theme: "Switch between light and dark",
  graph: "Graph",
  graphAround: "Around the note",
  graphWhole: "Whole vault",
  graphFind: "Find in the picture",
  graphCounts: (notes: string, links: string, orphans: string) => `${notes} notes, ${links} links, ${orphans} without a link`,
  graphLinks: (count: number) => `${count} ${count === 1 ? "link" : "links"}`,
  handedOn: "The open console asks about this link. You can close this page.",
  sessionOverTitle: "This console has no key any more",
  sessionOverText: "The key lives in the page and is gone when it is reloaded. The sidecar itself runs on: open a new console in a terminal, and this page goes on, too.",
  statusSessionOver: "This page has no key",
  bookmarkletHint: "Drag one into your bookmarks bar to send the page you read. The first works while the sidecar keeps this port.",
  bookmarkletConsole: "Ingest with the console",
  bookmarkletObsidian: "Ingest with Obsidian",
};

export type OwnWords = typeof en;

export const zh: OwnWords = {
  placeNotes: "笔记",
  tabMap: "地图",
  tabNote: "笔记",
  tabLinks: "链接",
  consoleEmptyTitle: "打开一篇笔记",
  consoleEmptyText: "从地图中选择，或搜索。",
  theme: "切换明暗",
  graph: "图谱",
  graphAround: "这篇周围",
  graphWhole: "全库",
  graphFind: "在图中查找",
  graphCounts: (notes, links, orphans) => `${notes} 篇笔记，${links} 条链接，${orphans} 篇没有链接`,
  graphLinks: (count) => `${count} 条链接`,
  handedOn: "已打开的控制台正在询问此链接，此页可以关闭。",
  sessionOverTitle: "这个控制台的钥匙已失效",
  sessionOverText: "钥匙只在页面里，刷新就没了。后台服务仍在运行：在终端里打开新的控制台，这一页也会接着用。",
  statusSessionOver: "此页没有钥匙",
  bookmarkletHint: "把其中一个拖到书签栏，即可发送正在阅读的网页。第一个在 sidecar 端口不变时有效。",
  bookmarkletConsole: "用控制台收录",
  bookmarkletObsidian: "用 Obsidian 收录",
};

export function ownWords(locale: Locale): OwnWords {
  return locale === "zh-CN" ? zh : en;
}
