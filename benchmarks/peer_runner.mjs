// Reads pages with one of the JavaScript peers; copied beside their modules before it runs.
import { createInterface } from "node:readline";
import { Readability } from "@mozilla/readability";
import { Defuddle } from "defuddle/node";
import { parseHTML } from "linkedom";
import TurndownService from "turndown";
import { gfm } from "turndown-plugin-gfm";

console.log = console.warn = console.info = () => {};

const turndown = new TurndownService({ headingStyle: "atx", codeBlockStyle: "fenced" });
turndown.use(gfm);

const readers = {
  "readability.js": async (url, html) => {
    const { document } = parseHTML(html);
    const article = new Readability(document).parse();
    return article?.content ? turndown.turndown(article.content) : ""; // as text: its own parser knows the rows of tables
  },
  defuddle: async (url, html) => {
    const { document } = parseHTML(html);
    const found = await Defuddle(document, url, { markdown: true });
    return found.contentMarkdown ?? found.content ?? "";
  },
};

const read = readers[process.argv[2]];
for await (const line of createInterface({ input: process.stdin })) {
  const page = JSON.parse(line);
  const begin = performance.now();
  let markdown = "";
  try {
    markdown = await read(page.url, page.html);
  } catch {
    // a page that breaks a peer counts as empty
  }
  process.stdout.write(JSON.stringify({ markdown, ms: performance.now() - begin }) + "\n");
}
