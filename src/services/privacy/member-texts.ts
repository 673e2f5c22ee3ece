import type { Logger } from 'pino';
import { UserError } from '../../errors/user-errors.ts';
import { text } from '../../texts/catalog.ts';
import type { Ownership } from '../cells/ownership.ts';
import type { GuildSpeakers } from '../playback/guild-speakers.ts';
import type { Pending } from '../time/pending.ts';

interface MemberTextsOptions {
  readonly speakers: GuildSpeakers;
  readonly pending: Pending<object>;
  readonly ownership: Ownership;
  readonly log: Logger;
}

interface Counts {
  readonly waiting: number;
  readonly spoken: number;
  readonly offered: number;
  /** Another process may have some, which does not say. */
  readonly mayBeElsewhere: boolean;
}

/** The texts of one member that wait, were spoken a short while ago, or wait for a button. */
export interface MemberTexts {
  /** The counts of this process. */
  count(userId: string): Counts;
  /** Forgets them in all processes. Rejects with a StoreError if another one may still have some. */
  forget(userId: string): Promise<void>;
}

export function createMemberTexts(options: MemberTextsOptions): MemberTexts {
  const { speakers, pending, ownership, log } = options;
  const { unspoken, files } = speakers;

  function count(userId: string): Counts {
    const { waiting, spoken } = speakers.ofMember(userId);
    return {
      waiting: waiting + unspoken.countOf(userId),
      spoken,
      offered: pending.countOf(userId),
      mayBeElsewhere: ownership.isShared,
    };
  }

  async function forgetHere(userId: string): Promise<void> {
    speakers.forgetMember(userId);
    files.end((file) => file.userId === userId, new UserError(text('say.file-forgotten')));
    pending.forgetMember(userId);
    await unspoken.forgetMember(userId);
  }

  ownership.forgotten.onTold((userId) => {
    forgetHere(userId).catch((error: unknown) => log.warn({ err: error }, 'Could not delete queued texts'));
  });

  return {
    count,
    async forget(userId) {
      await forgetHere(userId);
      await ownership.forgotten.tell(userId);
    },
  };
}
