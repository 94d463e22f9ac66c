// Talks to the agent's server: receives the state and sends decisions.

const PAUSE = 1500;
const PAGE = crypto.randomUUID(); // the server waits until each open page has the final state

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
        this.lost("This page cannot reach the game's window in the terminal. It keeps trying…");
        await new Promise((resolve) => setTimeout(resolve, PAUSE));
      }
      if (final(this.state)) return;
    }
  }

  // The error as text; empty if the service accepted the decision.
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
