/** The frame of all pages: header, navigation, keys that work everywhere, the page itself. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { isLive, useService } from "./api";
import { Episode, TwoEpisodes } from "./episode";
import { useConnection } from "./events";
import { madeAt, onlyEpisode } from "./exported";
import { ComparePage } from "./pages/compare";
import { EpisodesPage } from "./pages/episodes";
import { LeaderboardPage } from "./pages/leaderboard";
import { RunPage } from "./pages/run";
import { RunsPage } from "./pages/runs";
import { address, go, usePlace, visited, type Place } from "./router";
import { activeShortcuts, useShortcuts } from "./shortcuts";
import { nextTheme, setTheme, theme } from "./theme";

const SECTIONS = [
  ["runs", "Runs"],
  ["leaderboard", "Leaderboard"],
  ["episodes", "Episodes"],
  ["compare", "Compare"],
] as const;

export function App() {
  const place = usePlace();
  const main = useRef<HTMLElement>(null);
  const help = useRef<HTMLDialogElement>(null);
  const section = place.path[0] ?? "runs";
  const path = place.path.join("/");
  useShortcuts([
    { keys: "?", label: "Show these keys", run: () => help.current?.showModal() },
    ...SECTIONS.map(([name, label]) => ({
      keys: `g ${name.charAt(0)}`,
      label: `Go to ${label}`,
      run: () => go(address([name])),
    })),
    { keys: "/", label: "Search", run: () => focusSearch() },
  ]);
  const first = useRef(true);
  useEffect(() => {
    if (visited().y === undefined) window.scrollTo(0, 0);
    // Screen readers and the tab key begin at the new page, on the way back at the link followed.
    const { link } = visited();
    const returned = link !== undefined && document.activeElement?.getAttribute("href") === link;
    if (!first.current && !returned) main.current?.focus({ preventScroll: true });
    first.current = false;
  }, [path]);
  return (
    <>
      <a class="skip" href={window.location.hash} onClick={(event) => skip(event, main.current)}>
        Skip to content
      </a>
      <header class="top">
        <a class="brand" href={address(["runs"])}>
          <svg class="brand-mark" viewBox="0 0 32 32" aria-hidden="true">
            <rect width="32" height="32" rx="7" />
            <path d="M6 16 16 7l10 9v9h-7.5v-7h-5v7H6z" />
          </svg>
          Houseguest
        </a>
        <nav aria-label="Pages">
          {(onlyEpisode() ? [] : SECTIONS).map(([name, label]) => (
            <a
              key={name}
              href={address([name])}
              aria-current={name === section ? "page" : undefined}
            >
              {label}
            </a>
          ))}
        </nav>
        <div class="top-end">
          <Served />
          <ThemeButton />
          <button
            type="button"
            class="quiet"
            aria-label="Keyboard shortcuts"
            title="Keyboard shortcuts (?)"
            onClick={() => help.current?.showModal()}
          >
            ?
          </button>
        </div>
      </header>
      <main ref={main} tabIndex={-1}>
        <Page place={place} key={path} />
        {onlyEpisode()?.note && <p class="page small muted">{onlyEpisode()?.note}</p>}
      </main>
      <Help dialog={help} />
    </>
  );
}

function Page({ place }: { readonly place: Place }): ComponentChildren {
  const [section = "runs", name, part, episode, ...rest] = place.path;
  useEffect(() => {
    const label = SECTIONS.find(([each]) => each === section)?.[1] ?? "Houseguest";
    document.title = `${episode ?? name ?? label} · Houseguest`;
  }, [section, name, episode]);
  if (rest.length === 0) {
    if (section === "runs" && name === undefined) return <RunsPage query={place.query} />;
    if (section === "runs" && name !== undefined && part === undefined) {
      return <RunPage run={name} query={place.query} />;
    }
    if (section === "runs" && name && part === "episodes" && episode) {
      return <Episode run={name} episode={episode} query={place.query} />;
    }
    if (section === "leaderboard" && !name) return <LeaderboardPage query={place.query} />;
    if (section === "episodes" && !name) return <EpisodesPage query={place.query} />;
    if (section === "compare" && name === "play" && part === undefined) {
      return <TwoEpisodes query={place.query} />;
    }
    if (section === "compare" && !name) return <ComparePage query={place.query} />;
  }
  return (
    <div class="page">
      <h1>There is no such page</h1>
      <p>
        <a href={address(["runs"])}>See all runs</a>
      </p>
    </div>
  );
}

/** What is served, and whether the page is up to date. */
function Served() {
  const data = useService();
  const { state, problem } = useConnection();
  const lost = isLive() && state === "lost";
  const shown = isLive() ? "as they change" : `as they were at ${madeAt()}`;
  const title = lost
    ? "The viewer does not answer: what you see may be old"
    : problem || `Shows the runs in ${data?.runs ?? ""} ${shown}`;
  return (
    <span class="served" title={title}>
      {isLive() && <span class={`dot ${lost || problem ? "bad" : "good"}`} aria-hidden="true" />}
      <span class="served-name">{data?.runs}</span>
      <span class="visually-hidden" role="status">
        {lost || problem ? title : ""}
      </span>
    </span>
  );
}

const THEME_MARKS = { system: "◐", light: "☀", dark: "☾" } as const;

function ThemeButton() {
  const [chosen, setChosen] = useState(theme);
  return (
    <button
      type="button"
      class="quiet"
      aria-label={`Colours: ${chosen}`}
      title={`Colours: ${chosen}`}
      onClick={() => {
        const next = nextTheme(chosen);
        setTheme(next);
        setChosen(next);
      }}
    >
      <span aria-hidden="true">{THEME_MARKS[chosen]}</span>
    </button>
  );
}

function Help({ dialog }: { readonly dialog: { readonly current: HTMLDialogElement | null } }) {
  const [open, setOpen] = useState(false);
  useEffect(() => {
    const element = dialog.current;
    if (!element) return undefined;
    const watch = new MutationObserver(() => setOpen(element.open));
    watch.observe(element, { attributes: true, attributeFilter: ["open"] });
    return () => watch.disconnect();
  }, []);
  return (
    <dialog ref={dialog} class="help" aria-labelledby="help-title">
      <h2 id="help-title">Keyboard shortcuts</h2>
      <dl>
        {open &&
          activeShortcuts().map((each) => (
            <div key={each.keys + each.label}>
              <dt>
                {each.keys.split(/ (?=.)/).map((key) => (
                  <kbd key={key}>{key === " " ? "Space" : key}</kbd>
                ))}
              </dt>
              <dd>{each.label}</dd>
            </div>
          ))}
      </dl>
      <button type="button" onClick={() => dialog.current?.close()}>
        Close
      </button>
    </dialog>
  );
}

function skip(event: Event, main: HTMLElement | null): void {
  event.preventDefault();
  main?.focus();
}

function focusSearch(): void {
  document.querySelector<HTMLElement>('input[type="search"]')?.focus();
}
