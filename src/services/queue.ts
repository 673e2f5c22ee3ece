/** Items waiting for their turn, never more than the limit. A value: every change makes a new one. */
export interface Queue<Item> {
  readonly limit: number;
  readonly items: readonly Item[];
}

export function emptyQueue<Item>(limit: number): Queue<Item> {
  return { limit, items: [] };
}

/** The queue with the item at its end, or undefined when it is full. */
export function enqueue<Item>(queue: Queue<Item>, item: Item): Queue<Item> | undefined {
  if (queue.items.length >= queue.limit) return undefined;
  return { ...queue, items: [...queue.items, item] };
}

/** The item whose turn it is and the queue without it; undefined when nothing waits. */
export function dequeue<Item>(queue: Queue<Item>): { readonly item: Item; readonly queue: Queue<Item> } | undefined {
  const [item, ...items] = queue.items;
  return item === undefined ? undefined : { item, queue: { ...queue, items } };
}

/** Takes out every item that matches: what is left, and what was taken, both in order. */
export function withdraw<Item>(
  queue: Queue<Item>,
  matches: (item: Item) => boolean,
): { readonly queue: Queue<Item>; readonly withdrawn: readonly Item[] } {
  return {
    queue: { ...queue, items: queue.items.filter((item) => !matches(item)) },
    withdrawn: queue.items.filter(matches),
  };
}
