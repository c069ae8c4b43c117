// Builds dist/plugin (what Obsidian loads) and dist/console (what the sidecar serves). Same sources, same bytes.
import { copyFile, mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, transform } from "esbuild";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const at = (...parts) => join(root, ...parts);
const MAX_BUNDLE_BYTES = 120_000;

const common = { bundle: true, minify: true, target: "es2022", charset: "utf8", legalComments: "none", logLevel: "warning", absWorkingDir: root };

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
