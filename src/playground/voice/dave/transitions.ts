import type { Participant } from '../protocol/types.ts';

/** How long the server waits for op 23 of everybody: 'roughly two seconds', https://daveprotocol.com/#member-remove. */
const TRANSITION_TIMEOUT_MS = 2_000;

/** The one transition to a new epoch that may be under way: executed when all are ready, or have had their time. */
export function createTransitions(onExecute: (id: number) => void) {
  let lastId = 0;
  let current: { id: number; waiting: Set<Participant>; timer: NodeJS.Timeout } | undefined;

  function end(): void {
    clearTimeout(current?.timer);
    current = undefined;
  }

  function execute(): void {
    if (current === undefined) return;
    const { id } = current;
    end();
    onExecute(id);
  }

  const executeIfReady = () => {
    if (current?.waiting.size === 0) execute();
  };

  return {
    get pending(): boolean {
      return current !== undefined;
    },
    /** Returns the new transition's id; one still under way is executed first. */
    begin(members: Iterable<Participant>): number {
      execute();
      lastId = (lastId % 0xffff) + 1;
      current = { id: lastId, waiting: new Set(members), timer: setTimeout(execute, TRANSITION_TIMEOUT_MS) };
      return lastId;
    },
    /** The first of a group takes effect at once, as transition 0. */
    beginAtOnce(): number {
      execute();
      return 0;
    },
    /** Op 23 */
    ready(participant: Participant, id: number): void {
      if (current?.id !== id) return;
      current.waiting.delete(participant);
      executeIfReady();
    },
    /** This member is not waited for any more; `executeIfReady` decides the next step. */
    forget: (participant: Participant) => void current?.waiting.delete(participant),
    executeIfReady,
    /** Cancels the open transition without executing it. */
    end,
  };
}
