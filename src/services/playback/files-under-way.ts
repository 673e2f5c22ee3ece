import type { BlockableRequest } from '../text/spoken-text.ts';

/** A file or voice message that is being made: in no queue, and posted when it is there. */
interface WhatIsMade {
  /** Undefined in direct messages. */
  readonly guildId: string | undefined;
  readonly userId: string;
  /** Of a message: who wrote it. */
  readonly authorId?: string | undefined;
  readonly request: BlockableRequest;
}

export interface FileUnderWay {
  /** Aborts with the reason for its requester when it must not be posted, or with that of begin()'s signal. */
  readonly signal: AbortSignal;
  over(): void;
}

/** What is being made to be posted, so that it can be called off like a text that waits to be spoken. */
export function createFilesUnderWay() {
  const all = new Map<WhatIsMade, AbortController>();

  return {
    /** Until it is over, or that signal aborts. Throws its reason where it has. */
    begin(file: WhatIsMade, signal: AbortSignal): FileUnderWay {
      signal.throwIfAborted();
      const ending = new AbortController();
      const over = () => void all.delete(file);
      all.set(file, ending);
      signal.addEventListener('abort', over, { once: true });
      return { signal: AbortSignal.any([signal, ending.signal]), over };
    },
    ofServer: (guildId: string): readonly WhatIsMade[] => [...all.keys()].filter((file) => file.guildId === guildId),
    end(matches: (file: WhatIsMade) => boolean, reason: Error): void {
      for (const [file, ending] of all) if (matches(file)) ending.abort(reason);
    },
  };
}

export type FilesUnderWay = ReturnType<typeof createFilesUnderWay>;
