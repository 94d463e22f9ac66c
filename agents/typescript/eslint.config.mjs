import js from "@eslint/js";
import { defineConfig, globalIgnores } from "eslint/config";
import typescript from "typescript-eslint";

export default defineConfig(
  globalIgnores(["**/dist/", "**/generated/"]),
  js.configs.recommended,
  {
    files: ["**/*.ts"],
    extends: [typescript.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true } },
  },
  {
    files: ["**/test/**"],
    rules: {
      // Test functions are waited for by their runner.
      "@typescript-eslint/no-floating-promises": "off",
      // What implements an interface or a body may have nothing to wait for.
      "@typescript-eslint/require-await": "off",
    },
  },
  {
    files: ["**/*.mjs"],
    languageOptions: { globals: { console: "readonly", process: "readonly", URL: "readonly" } },
  },
);
