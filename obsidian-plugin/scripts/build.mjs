// Builds dist/plugin (what Obsidian loads) and dist/console (what the sidecar serves). Same sources, same bytes.
import { copyFile, mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, transform } from "esbuild";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const at = (...parts) => join(root, ...parts);
const MAX_BUNDLE_BYTES = 120_000;

/**
 * Shorter names for what only this program reads. The words are lists in the order of their keys; members of our classes are renamed by esbuild,
 * but for those that some declaration of a foreign thing (DOM, language, Obsidian, the sidecar's API) or a quoted text names, too.
 */
async function shorten() {
  const sources = (await readdir(at("src"), { recursive: true })).filter((name) => name.endsWith(".ts") && !name.endsWith("contract.gen.ts")).sort();
  const texts = await Promise.all(sources.map((name) => readFile(at("src", name), "utf8")));
  const lib = at("node_modules/typescript/lib");
  const foreign = (await readdir(lib)).filter((name) => /^lib\..*\.d\.ts$/.test(name)).map((name) => join(lib, name));
  const known = new Set(["default"]);
  for (const file of [...foreign, at("node_modules/obsidian/obsidian.d.ts"), at("src/api/contract.gen.ts")]) {
    for (const [name] of (await readFile(file, "utf8")).matchAll(/[A-Za-z_]\w*/g)) known.add(name);
  }
  const members = new Set();
  texts.forEach((text, n) => {
    for (const [, name] of text.matchAll(/["'`](\w+)["'`]/g)) known.add(name);
    // What is read from JSON whose shape the API does not tell keeps its names.
    const shapes = [...text.matchAll(/\bas (?:unknown as )?\{([^}]*)\}/g)].map(([, shape]) => shape);
    if (text.includes("as unknown as")) shapes.push(...[...text.matchAll(/^(?:export )?interface \w+ \{([\s\S]*?)^\}/gm)].map(([, shape]) => shape));
    for (const shape of shapes) for (const [, name] of shape.matchAll(/(\w+)\??:/g)) known.add(name);
    for (const [, , name] of text.matchAll(/^ {2,4}((?:private|protected|public|readonly|async|abstract|static|override|get|set) )+(\w+)/gm)) members.add(name);
    for (const [, name] of text.matchAll(/^ {2}(\w+)\(.*\{$/gm)) members.add(name);
    // Elsewhere interfaces describe what others write: settings on disk, results of jobs, the endpoint file.
    if (!/^(views|ui|host)/.test(sources[n]) || text.includes("as unknown as")) return;
    for (const [, name] of text.matchAll(/^ {2}(?:readonly )?(\w+)\??[:(]/gm)) members.add(name);
  });
  const keysOf = (text) => [...text.matchAll(/^ {2}(\w+):/gm)].map(([, key]) => key);
  const keys = keysOf(texts[sources.indexOf(join("i18n", "en.ts"))]);
  const plugin = {
    name: "words",
    setup(build) {
      build.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        const text = await readFile(path, "utf8");
        const isWords = /i18n.(en|zh)\.ts$/.test(path);
        if (!isWords) return { loader: "ts", contents: text.replace(/\bwords\.(\w+)/g, (_, key) => `words[${keys.indexOf(key)}]`) };
        if (keysOf(text).join() !== keys.join()) throw new Error(`${path}: the words do not stand in the order of en.ts`);
        return { loader: "ts", contents: text.replace(/^(export const \w+).*\{$/m, "$1: any = [").replace(/^ {2}\w+: ?/gm, "  ").replace(/^\};$/m, "];") };
      });
    },
  };
  // Foreign things have these names, too, but none that is touched here.
  for (const name of ["connection", "client", "notify", "place", "host", "reload", "chosen", "narrow", "figure"]) {
    known.delete(name);
    members.add(name);
  }
  const own = [...members].filter((name) => name.length > 3 && !known.has(name)).sort();
  return { plugins: [plugin], mangleProps: new RegExp(`^(${own.join("|")})$`) };
}

const common = { bundle: true, minify: true, target: "es2022", charset: "utf8", legalComments: "none", logLevel: "warning", tsconfigRaw: { compilerOptions: { useDefineForClassFields: false } }, absWorkingDir: root, ...(await shorten()) };

await rm(at("dist"), { recursive: true, force: true });
await mkdir(at("dist/plugin"), { recursive: true });
await mkdir(at("dist/console"), { recursive: true });

await build({
  ...common,
  entryPoints: ["src/main.ts"],
  outfile: "dist/plugin/main.js",
  format: "cjs",
  external: ["obsidian", "electron", "fs", "os", "path"],
});
await build({ ...common, entryPoints: ["src/console/main.ts"], outfile: "dist/console/console.js", format: "iife" });

const css = async (...names) => {
  const text = (await Promise.all(names.map((name) => readFile(at("styles", name), "utf8")))).join("\n");
  return (await transform(text, { loader: "css", minify: true, charset: "utf8", target: "chrome120" })).code;
};
await writeFile(at("dist/plugin/styles.css"), await css("views.css"));
await writeFile(at("dist/console/console.css"), await css("tokens.css", "host.css", "views.css", "console.css"));
await copyFile(at("manifest.json"), at("dist/plugin/manifest.json"));
await copyFile(at("src/console/icon.svg"), at("dist/console/icon.svg"));
await copyFile(at("src/console/index.html"), at("dist/console/index.html"));

const { size } = await stat(at("dist/plugin/main.js"));
if (size > MAX_BUNDLE_BYTES) {
  console.error(`dist/plugin/main.js has ${size} bytes; at most ${MAX_BUNDLE_BYTES} are allowed.`);
  process.exit(1);
}
