// Talks to the agent's server: receives the state and sends decisions.

const PAUSE = 1500;
const PAGE = crypto.randomUUID(); // each open page is told how it ended

export class Link {
  constructor(heard, lost) {
    this.heard = heard;
    this.lost = lost;
    this.version = -1;
    this.state = null;
  }

  take(state) {
    if (state.version < this.version) return;
    this.version = state.version;
    this.state = state;
    this.heard(state);
  }

  async follow() {
    for (;;) {
      try {
        const answer = await fetch(`state?page=${PAGE}&after=${this.version}`);
        if (!answer.ok) throw new Error(answer.statusText);
        this.lost("");
        this.take(await answer.json());
      } catch {
        if (final(this.state)) return;
        this.lost("This page has lost the game's window in the terminal. It looks again…");
        await new Promise((resolve) => setTimeout(resolve, PAUSE));
      }
      if (final(this.state)) return;
    }
  }

  // What went wrong, in words; empty where the decision was taken.
  async send(decision) {
    const body = JSON.stringify({ turn: this.state.turn, ...decision });
    const headers = { "Content-Type": "application/json" };
    try {
      const answer = await fetch("act", { method: "POST", headers, body });
      const content = await answer.json();
      if (answer.ok) this.take(content);
      return answer.ok ? "" : content.error;
    } catch {
      return "That did not arrive. Is the game's window in the terminal still open?";
    }
  }
}

export function final(state) {
  return state !== null && ["over", "left", "failed"].includes(state.phase);
}
