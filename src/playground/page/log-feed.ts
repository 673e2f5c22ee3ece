/** A line of the bot's log, as far as the page reads it. */
type LogLine = { readonly level?: number; readonly msg?: string } & Readonly<Record<string, unknown>>;

export type LogFeed = ReturnType<typeof createLogFeed>;

const KEPT_LINES = 300;

/** The bot's log for those who look at it, with its latest lines for those who come later. */
export function createLogFeed() {
  const lines: LogLine[] = [];
  const watchers = new Set<(line: LogLine) => void>();
  return {
    latest: lines as readonly LogLine[],
    push(line: LogLine): void {
      lines.push(line);
      if (lines.length > KEPT_LINES) lines.shift();
      for (const watch of watchers) watch(line);
    },
    /** Returns the function that ends it. */
    watch(watcher: (line: LogLine) => void): () => void {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
  };
}
