import js from "@eslint/js";
import { defineConfig } from "eslint/config";
import typescript from "typescript-eslint";

export default defineConfig(
  js.configs.recommended,
  {
    files: ["src/**/*.{ts,tsx}"],
    extends: [typescript.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true } },
    rules: {
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      // Handlers may be given a function that returns something.
      "@typescript-eslint/no-confusing-void-expression": ["error", { ignoreArrowShorthand: true }],
    },
  },
  {
    // What an agent or a task wrote is text.
    files: ["src/**/*.tsx"],
    rules: {
      "no-restricted-syntax": [
        "error",
        {
          selector: "JSXAttribute[name.name='dangerouslySetInnerHTML']",
          message: "Texts come from agents: show them as text.",
        },
      ],
    },
  },
  {
    files: ["*.config.{js,mjs}"],
    languageOptions: { globals: { URL: "readonly" } },
  },
);
