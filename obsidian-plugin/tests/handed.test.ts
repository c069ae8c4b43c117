import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { bookmarklets, HandedLinks, handedLink, linkAt, linkInHash } from "../src/handed";

describe("links handed over from outside", () => {
  it("are web addresses and nothing else", () => {
    expect(handedLink(" https://e.com/a?b=1 ")).toBe("https://e.com/a?b=1");
    const bad = ["javascript:alert(1)", "file:///etc/passwd", "obsidian://open", "https://me:pw@e.com/", "e.com", "", 3, undefined, `https://e.com/${"x".repeat(9000)}`];
    expect(bad.map(handedLink)).toEqual(bad.map(() => ""));
    expect(handedLink("https://e.com/a\nhttps://e.com/b")).not.toMatch(/\s/);
  });

  it("are asked about one at a time, and only if they are web addresses", () => {
    const asked: string[] = [];
    let done = (): void => undefined;
    const handed = new HandedLinks((link, end) => {
      asked.push(link);
      done = end;
    });
    for (const value of ["javascript:alert(1)", undefined, "https://e.com/1", "https://e.com/2"]) handed.take(value);
    expect(asked).toEqual(["https://e.com/1"]);
    done();
    handed.take("https://e.com/3");
    expect(asked).toEqual(["https://e.com/1", "https://e.com/3"]);
  });

  it("are found in the console's address only where the bookmarklet puts them", () => {
    expect(linkInHash(`#ingest?url=${encodeURIComponent("https://e.com/?a=1&b=#c")}`)).toBe("https://e.com/?a=1&b=#c");
    expect(["", "#code=abc", "#ingest", "#ingest?url=javascript:alert(1)", "#x?url=https://e.com/"].map(linkInHash)).toEqual(["", "", "", "", ""]);
  });

  it("come out of a bookmarklet as they went in", () => {
    const page = "https://e.com/ä?x=1&y='2'#z";
    for (const code of Object.values(bookmarklets("http://127.0.0.1:8080"))) {
      const opened: string[] = [];
      const location = { href: page };
      runInNewContext(code.replace(/^javascript:/, ""), { window: { open: (to: string) => opened.push(to) }, location, encodeURIComponent });
      const [to] = opened.length ? opened : [location.href];
      const link = new URL(to ?? "");
      const found = link.protocol === "obsidian:" ? handedLink(link.searchParams.get("url")) : linkInHash(link.hash);
      expect(found).toBe(new URL(page).href);
    }
  });

  it("are the one under the cursor, without the brackets and stops around it", () => {
    const line = "See [a](https://e.com/a_(b)) and https://e.com/c.";
    expect([0, 10, 27, 35, 48].map((at) => linkAt(line, at))).toEqual(["", "https://e.com/a_(b)", "https://e.com/a_(b)", "https://e.com/c", "https://e.com/c"]);
  });
});
