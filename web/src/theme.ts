/** Light, dark, or as the system says: `data-theme` on the document's root. */
export type Theme = "system" | "light" | "dark";

const KEY = "houseguest-theme";
const THEMES: readonly Theme[] = ["system", "light", "dark"];

export function theme(): Theme {
  const chosen = document.documentElement.dataset["theme"];
  return THEMES.find((each) => each === chosen) ?? "system";
}

export function setTheme(chosen: Theme): void {
  apply(chosen);
  try {
    window.localStorage.setItem(KEY, chosen);
  } catch {
    // The browser keeps nothing: the choice lasts as long as the page.
  }
}

/** Applies what was chosen before. */
export function restoreTheme(): void {
  try {
    const kept = window.localStorage.getItem(KEY);
    apply(THEMES.find((each) => each === kept) ?? "system");
  } catch {
    // The browser keeps nothing.
  }
}

function apply(chosen: Theme): void {
  if (chosen === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = chosen;
}

export function nextTheme(of: Theme): Theme {
  return THEMES[(THEMES.indexOf(of) + 1) % THEMES.length] ?? "system";
}
