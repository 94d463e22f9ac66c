/** Waits for something to become true, looked at anew whenever it may have changed. */
export class Waiters {
  readonly #looks = new Set<() => void>();

  /** Resolves once `condition` holds, or after so many seconds. */
  until(condition: () => boolean, timeout = Infinity): Promise<void> {
    if (condition()) return Promise.resolve();
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        this.#looks.delete(look);
        resolve();
      };
      const look = (): void => {
        if (condition()) end();
      };
      const timer = timeout === Infinity ? undefined : setTimeout(end, timeout * 1000);
      this.#looks.add(look);
    });
  }

  /** Has everyone look again. */
  notify(): void {
    for (const look of [...this.#looks]) look();
  }
}
