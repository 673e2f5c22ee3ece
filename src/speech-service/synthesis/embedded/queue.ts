/** A first-in-first-out queue for each owner; `next` goes round the owners, so that none waits for all of another's. */
export function createFairQueue<T>() {
  // Insertion order is the order of turns: an owner that was served goes to the end.
  const lines = new Map<string, T[]>();
  let size = 0;
  return {
    get size(): number {
      return size;
    },
    push(owner: string, item: T): void {
      const line = lines.get(owner);
      if (line === undefined) lines.set(owner, [item]);
      else line.push(item);
      size += 1;
    },
    next(): T | undefined {
      const turn = lines.entries().next();
      if (turn.done === true) return undefined;
      const [owner, line] = turn.value;
      const item = line.shift();
      lines.delete(owner);
      if (line.length > 0) lines.set(owner, line);
      size -= 1;
      return item;
    },
    /** Takes out an item that is still waiting. */
    remove(owner: string, item: T): boolean {
      const line = lines.get(owner);
      const at = line?.indexOf(item) ?? -1;
      if (line === undefined || at < 0) return false;
      line.splice(at, 1);
      if (line.length === 0) lines.delete(owner);
      size -= 1;
      return true;
    },
  };
}
