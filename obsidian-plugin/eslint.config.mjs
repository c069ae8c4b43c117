import obsidianmd from "eslint-plugin-obsidianmd";
import { defineConfig, globalIgnores } from "eslint/config";

export default defineConfig([
  globalIgnores(["dist", "node_modules", "scripts", "src/api/contract.gen.ts", "*.config.*"]),
  ...obsidianmd.configs.recommended,
  {
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
  },
  {
    // The console is a web page of its own: it has neither Obsidian's requestUrl nor its popout windows.
    files: ["src/console/**", "tests/standin/**"],
    rules: { "no-restricted-globals": "off", "obsidianmd/prefer-create-el": "off" },
  },
  {
    // The stand-in loads the plugin's code in the way Obsidian itself does.
    files: ["tests/standin/**"],
    rules: { "obsidianmd/rule-custom-message": "off" },
  },
]);
