/** Waits until a condition holds, and checks it again after each possible change. */
export class Waiters {
  readonly #looks = new Set<() => void>();

  /** Resolves when `condition` holds, or after this number of seconds. */
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

  /** Makes every waiter check its condition again. */
  notify(): void {
    for (const look of [...this.#looks]) look();
  }
}
