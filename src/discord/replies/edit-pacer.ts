/** Discord takes 5 edits in 5 s of one interaction's messages; the final reply needs one of them at any moment. */
const PACE_MS = 1_500;

/** Sends the newest of many messages at a limited rate, one at a time. */
export function createEditPacer<Message>({
  send,
  failed,
  paceMs = PACE_MS,
}: {
  readonly send: (message: Message) => Promise<void>;
  readonly failed: (error: unknown) => void;
  readonly paceMs?: number;
}) {
  let waiting: Message | undefined;
  let sending: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  function next(): void {
    timer = undefined;
    if (closed || waiting === undefined || sending) return;
    const message = waiting;
    waiting = undefined;
    timer = setTimeout(next, paceMs);
    sending = send(message)
      .catch(failed)
      .finally(() => {
        sending = undefined;
        if (!timer) next();
      });
  }

  return {
    /** Shows this message now, or as soon as the pace allows unless a later one has replaced it. */
    show(message: Message): void {
      if (closed) return;
      waiting = message;
      if (!timer && !sending) next();
    },
    /** Drops the unsent message and waits for the edit in flight. Idempotent. */
    async close() {
      closed = true;
      clearTimeout(timer);
      await sending;
    },
  };
}
