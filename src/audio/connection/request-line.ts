/** The time as the line reads it. */
interface LineClock {
  now(): number;
  /** Calls back once; the returned function prevents that. */
  after(ms: number, callback: () => void): () => void;
}

export interface RequestBudget {
  /** The maximum number of requests within any `perMs`. */
  readonly limit: number;
  readonly perMs: number;
}

/**
 * Discord closes the connection of a shard (4008) that sends more than 120 messages a minute, of every kind, and discord.js
 * lets them wait at 115, from where none can be withdrawn: https://discord.com/developers/docs/events/gateway#rate-limiting
 * Discord counts what arrives: what a busy machine or network held up for some seconds counts later than it was sent.
 */
export const REQUEST_BUDGET: RequestBudget = { limit: 100, perMs: 65_000 };

/** Requests of all servers of one shard, in the order in which they came, as fast as the budget allows. */
export interface RequestLine {
  /**
   * Sends at once, or when it is this request's turn. A waiting request of the same server is superseded: this one takes its
   * place. `send` returns false where the request was not taken, which costs nothing of the budget.
   */
  enter(guildId: string, send: () => boolean): LineTicket;
  readonly length: number;
}

export interface LineTicket {
  readonly isWaiting: boolean;
  withdraw(): void;
}

interface Waiting {
  readonly guildId: string;
  readonly send: () => boolean;
}

export function createRequestLine({ limit, perMs }: RequestBudget, clock: LineClock = SYSTEM_CLOCK): RequestLine {
  /** The times of the latest requests, up to `limit` of them. */
  const sentAtMs: number[] = [];
  const line: Waiting[] = [];
  let cancelTimer: (() => void) | undefined;
  let isAdvancing = false;

  function advance(): void {
    // Called while a request is being sent: the loop below comes to it.
    if (isAdvancing) return;
    isAdvancing = true;
    try {
      sendDue();
    } finally {
      isAdvancing = false;
    }
  }

  function sendDue(): void {
    cancelTimer = undefined;
    while (line.length > 0) {
      const [oldestMs] = sentAtMs;
      const waitMs = sentAtMs.length < limit || oldestMs === undefined ? 0 : oldestMs + perMs - clock.now();
      if (waitMs > 0) {
        cancelTimer = clock.after(waitMs, advance);
        return;
      }
      if (!line.shift()?.send()) continue;
      sentAtMs.push(clock.now());
      if (sentAtMs.length > limit) sentAtMs.shift();
    }
  }

  return {
    enter(guildId, send) {
      const request: Waiting = { guildId, send };
      const superseded = line.findIndex((other) => other.guildId === guildId);
      if (superseded === -1) line.push(request);
      else line[superseded] = request;
      if (!cancelTimer) advance();
      return {
        get isWaiting() {
          return line.includes(request);
        },
        withdraw() {
          const place = line.indexOf(request);
          if (place !== -1) line.splice(place, 1);
        },
      };
    },
    get length() {
      return line.length;
    },
  };
}

const SYSTEM_CLOCK: LineClock = {
  now: () => performance.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};
