import { readFileSync } from "node:fs";
import { defineConfig } from "vite";

// Browsers load no module from a file: a static export needs a plain script.
const plainTags = {
  name: "plain-tags",
  transformIndexHtml: {
    order: "post",
    handler: (html) =>
      html
        .replace('<script type="module" crossorigin', "<script defer")
        .replace('<link rel="stylesheet" crossorigin', '<link rel="stylesheet"'),
  },
};

const licences = {
  name: "licences",
  generateBundle() {
    const preact = readFileSync(new URL("node_modules/preact/LICENSE", import.meta.url), "utf8");
    const source = `app.js contains Preact, under this licence:\n\n${preact}`;
    this.emitFile({ type: "asset", fileName: "LICENSES.txt", source });
  },
};

// Names without hashes: the built files are in the tree, and the service names their versions.
export default defineConfig({
  base: "./",
  publicDir: "public",
  plugins: [plainTags, licences],
  build: {
    outDir: "../env_service/view/bundle",
    emptyOutDir: true,
    target: "es2022",
    modulePreload: false,
    assetsInlineLimit: 0,
    cssCodeSplit: false,
    rollupOptions: {
      output: {
        format: "iife",
        entryFileNames: "app.js",
        assetFileNames: (asset) =>
          asset.names[0]?.endsWith(".css") ? "app.css" : "[name][extname]",
      },
    },
  },
  server: { proxy: { "/api": "http://127.0.0.1:7080" } },
});
