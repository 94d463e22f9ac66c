import { render } from "preact";
import { isLive, readFrom } from "./api";
import { App } from "./app";
import { listen } from "./events";
import { exportedSource, onlyEpisode } from "./exported";
import { address, keepPlace } from "./router";
import { listenToKeys } from "./shortcuts";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/parts.css";
import "./styles/pages.css";
import { restoreTheme } from "./theme";

restoreTheme();
listenToKeys();
keepPlace();
const exported = exportedSource();
if (exported) readFrom(exported);
const only = onlyEpisode();
if (only && window.location.hash.length < 2) {
  window.location.replace(address(["runs", only.run, "episodes", only.episode]));
}
const root = document.getElementById("app");
if (root) render(<App />, root);
// What the first page has not used by now would be old for a later one.
window.houseguestEarly?.clear();
if (isLive()) listen();
