/** What a client has received, and waits for it. */
export function createInbox<Message>(describe: (messages: readonly Message[]) => string) {
  const messages: Message[] = [];
  const watchers = new Set<() => void>();
  const look = () => {
    for (const watcher of watchers) watcher();
  };
  return {
    messages,
    take(message: Message): void {
      messages.push(message);
      look();
    },
    /** To be called when something else that is waited for may have changed. */
    look,
    /** Resolves once `find` finds something in what came or comes; rejects with all that came at the deadline. */
    until<Found>(find: () => Found | undefined, what: string, timeoutMs: number): Promise<Found> {
      const { promise, resolve, reject } = Promise.withResolvers<Found>();
      const check = () => {
        const found = find();
        if (found !== undefined) resolve(found);
      };
      const late = () => reject(new Error(`No ${what} within ${timeoutMs} ms; came: ${describe(messages)}`));
      const timer = setTimeout(late, timeoutMs);
      watchers.add(check);
      check();
      return promise.finally(() => {
        clearTimeout(timer);
        watchers.delete(check);
      });
    },
  };
}
