/**
 * Discord closes a shard's connection (4008) after more than 120 messages a minute. discord.js delays messages from 115
 * on, and a delayed request cannot be withdrawn. https://discord.com/developers/docs/events/gateway#rate-limiting
 */
export const REQUEST_BUDGET = { limit: 100, perMs: 65_000 };

export type RequestLine = ReturnType<typeof createRequestLine>;
export type LineTicket = ReturnType<RequestLine['enter']>;

/** Sends the voice requests of all servers of one shard in their order, as fast as `limit` allows. */
export function createRequestLine({ limit, perMs }: typeof REQUEST_BUDGET) {
  const sentAtMs: number[] = [];
  const line: { readonly guildId: string; readonly send: () => boolean }[] = [];
  let timer: NodeJS.Timeout | undefined;
  let isAdvancing = false;

  function advance(): void {
    // Sending a voice request may add another request, which the running loop sends too: no second loop must start.
    if (isAdvancing) return;
    isAdvancing = true;
    try {
      sendDue();
    } finally {
      isAdvancing = false;
    }
  }

  function sendDue(): void {
    timer = undefined;
    while (line.length > 0) {
      const [oldestMs] = sentAtMs;
      const waitMs = sentAtMs.length < limit || oldestMs === undefined ? 0 : oldestMs + perMs - performance.now();
      if (waitMs > 0) {
        timer = setTimeout(advance, waitMs);
        return;
      }
      if (!line.shift()?.send()) continue;
      sentAtMs.push(performance.now());
      if (sentAtMs.length > limit) sentAtMs.shift();
    }
  }

  return {
    /** The request replaces a waiting request of the same server. `send` returns false if it sent nothing. */
    enter(guildId: string, send: () => boolean) {
      const request = { guildId, send };
      const superseded = line.findIndex((other) => other.guildId === guildId);
      if (superseded === -1) line.push(request);
      else line[superseded] = request;
      if (!timer) advance();
      return {
        get isWaiting(): boolean {
          return line.includes(request);
        },
        withdraw(): void {
          const place = line.indexOf(request);
          if (place !== -1) line.splice(place, 1);
        },
      };
    },
  };
}
