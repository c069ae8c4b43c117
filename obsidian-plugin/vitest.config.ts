import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: { include: ["tests/**/*.test.ts"], environment: "node" },
  resolve: { alias: { obsidian: fileURLToPath(new URL("./tests/obsidian_stub.ts", import.meta.url)) } },
});
