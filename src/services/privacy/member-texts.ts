import type { Logger } from 'pino';
import { UserError } from '../../errors/user-errors.ts';
import { text } from '../../texts/catalogue.ts';
import type { ForgottenMembers } from '../cells/forgotten-members.ts';
import type { FilesUnderWay } from '../playback/files-under-way.ts';
import type { GuildSpeakers } from '../playback/guild-speakers.ts';
import type { UnspokenKeeper } from '../playback/unspoken-keeper.ts';
import type { Pending } from '../time/pending.ts';

interface MemberTextsOptions {
  readonly speakers: GuildSpeakers;
  readonly unspoken: UnspokenKeeper;
  readonly files: Pick<FilesUnderWay, 'end'>;
  /** Pending texts that wait for a button or a form, of every kind. */
  readonly pending: readonly Pick<Pending<{ readonly askerId?: string; readonly words: string }>, 'count' | 'drop'>[];
  /** Tells the other processes of the bot, where several share its servers. */
  readonly forgotten?: ForgottenMembers;
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
  /** Those of this process. */
  count(userId: string): Counts;
  /** Those of all processes. Rejects with a StoreError where another one may still have some. */
  forget(userId: string): Promise<void>;
}

export function createMemberTexts(options: MemberTextsOptions): MemberTexts {
  const { speakers, unspoken, files, pending, forgotten, log } = options;

  function count(userId: string): Counts {
    const { waiting, spoken } = speakers.ofMember(userId);
    const offered = pending.map(({ count }) => count(({ askerId, words }) => askerId === userId && words !== ''));
    return {
      waiting: waiting + unspoken.countOf(userId),
      spoken,
      offered: offered.reduce((sum, count) => sum + count, 0),
      mayBeElsewhere: forgotten !== undefined,
    };
  }

  async function forgetHere(userId: string): Promise<void> {
    speakers.forgetMember(userId);
    files.end((file) => file.userId === userId, new UserError(text('say.file-forgotten')));
    for (const texts of pending) texts.drop(({ askerId }) => askerId === userId);
    await unspoken.forgetMember(userId);
  }

  forgotten?.onTold((userId) => {
    forgetHere(userId).catch((error: unknown) => log.warn({ err: error }, 'Texts that wait could not be deleted'));
  });

  return {
    count,
    async forget(userId) {
      await forgetHere(userId);
      await forgotten?.tell(userId);
    },
  };
}
