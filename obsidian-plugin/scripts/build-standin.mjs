// Builds the test's stand-in for Obsidian:  node scripts/build-standin.mjs OUTFILE
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
await build({
  absWorkingDir: root,
  entryPoints: ["tests/standin/obsidian.ts"],
  outfile: process.argv[2],
  bundle: true,
  format: "iife",
  target: "es2022",
  logLevel: "warning",
});
