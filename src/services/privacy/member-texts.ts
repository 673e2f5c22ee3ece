import * as z from 'zod';
import { StoreError } from '../../errors/store-error.ts';
import { UserError } from '../../errors/user-errors.ts';
import { text } from '../../texts/catalogue.ts';
import type { CellCalls } from '../cells/cell-calls.ts';
import type { FilesUnderWay } from '../playback/files-under-way.ts';
import type { GuildSpeakers } from '../playback/guild-speakers.ts';
import type { UnspokenKeeper } from '../playback/unspoken-keeper.ts';
import type { Pending } from '../time/pending.ts';

interface MemberTextsOptions {
  readonly speakers: Pick<GuildSpeakers, 'ofMember' | 'forgetMember'>;
  readonly unspoken: Pick<UnspokenKeeper, 'countOf' | 'forgetMember'>;
  readonly files: Pick<FilesUnderWay, 'end'>;
  /** Pending texts that wait for a button or a form, of every kind. */
  readonly pending: readonly Pick<Pending<{ readonly askerId?: string; readonly words: string }>, 'count' | 'drop'>[];
  /** The other processes of the bot, and what those that do not run left behind. */
  readonly elsewhere?: { readonly cells: CellCalls; forgetLeftBehind(userId: string): Promise<void> } | undefined;
}

const COUNTS = z.object({ waiting: z.number(), spoken: z.number(), offered: z.number() });
const QUESTION = z.object({ userId: z.string() });

type Counts = z.output<typeof COUNTS>;

/** The texts of one member that wait, were spoken a short while ago, or wait for a button: here and in all other cells. */
export interface MemberTexts {
  /** Rejects with a StoreError where another cell does not say. */
  count(userId: string): Promise<Counts>;
  /** Rejects with a StoreError where another cell may still have some. */
  forget(userId: string): Promise<void>;
}

export function createMemberTexts({ speakers, unspoken, files, pending, elsewhere }: MemberTextsOptions): MemberTexts {
  function countHere(userId: string): Counts {
    const { waiting, spoken } = speakers.ofMember(userId);
    const offered = pending.map(({ count }) => count(({ askerId, words }) => askerId === userId && words !== ''));
    return {
      waiting: waiting + unspoken.countOf(userId),
      spoken,
      offered: offered.reduce((sum, count) => sum + count, 0),
    };
  }

  function forgetHere(userId: string): void {
    speakers.forgetMember(userId);
    unspoken.forgetMember(userId);
    files.end((file) => file.userId === userId, new UserError(text('say.file-forgotten')));
    for (const texts of pending) texts.drop(({ askerId }) => askerId === userId);
  }

  elsewhere?.cells.answer('kept', (body) => countHere(QUESTION.parse(body).userId));
  elsewhere?.cells.answer('forget', (body) => forgetHere(QUESTION.parse(body).userId));

  async function askOthers(question: 'kept' | 'forget', userId: string): Promise<readonly unknown[]> {
    try {
      const { given = [], silent = [] } = (await elsewhere?.cells.ask(question, { userId })) ?? {};
      if (silent.length > 0) throw new Error(`No answer from ${silent.join(', ')}`);
      return given.map(({ body }) => body);
    } catch (error) {
      throw new StoreError('Not all processes could be asked for the texts of a member', { cause: error });
    }
  }

  return {
    async count(userId) {
      const others = (await askOthers('kept', userId)).map((body) => COUNTS.parse(body));
      return [countHere(userId), ...others].reduce((one, other) => ({
        waiting: one.waiting + other.waiting,
        spoken: one.spoken + other.spoken,
        offered: one.offered + other.offered,
      }));
    },
    async forget(userId) {
      forgetHere(userId);
      await elsewhere?.forgetLeftBehind(userId).catch((error: unknown) => {
        throw new StoreError('Texts that wait could not be deleted', { cause: error });
      });
      await askOthers('forget', userId);
    },
  };
}
