import { render } from "preact";
import { isLive } from "./api";
import { App } from "./app";
import { listen } from "./events";
import { listenToKeys } from "./shortcuts";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/parts.css";
import "./styles/pages.css";
import { restoreTheme } from "./theme";

restoreTheme();
listenToKeys();
const root = document.getElementById("app");
if (root) render(<App />, root);
if (isLive()) listen();
