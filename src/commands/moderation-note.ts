import type { ModerationLog, SpokenNote } from '../discord/moderation-log.ts';
import { DeliveryError } from '../errors.ts';
import type { SpeechFacts } from '../services/rendition-types.ts';
import type { Voice } from '../services/speech/interface/schemas.ts';
import type { SpeechRequest } from '../services/speech/request.ts';
import { BlockedWordError } from '../services/spoken-text.ts';
import type { Delivery } from '../services/utterance.ts';
import type { SpeakCall } from './speak.ts';
import type { Wish } from './wish.ts';

/** What is known before it is known how it goes. */
export type NoteStart = Omit<SpokenNote, 'outcome' | 'credits'>;

/** How it went, where it went well. */
export type NoteEnd = Pick<SpokenNote, 'outcome' | 'credits'> & { readonly channelId?: string };

interface Asked {
  readonly wish: Pick<Wish, 'as' | 'from'>;
  readonly request: Pick<SpeechRequest, 'input'>;
  readonly voice: Voice;
}

/** For the moderators of the server it is asked for in; undefined elsewhere. */
export function noteOf(
  { interaction }: Pick<SpeakCall, 'interaction'>,
  { wish, request, voice }: Asked,
): NoteStart | undefined {
  if (!interaction.inCachedGuild()) return undefined;
  return {
    guildId: interaction.guildId,
    userId: interaction.user.id,
    kind: wish.as !== 'voice' ? wish.as : wish.from === 'message' ? 'message' : 'command',
    characters: request.input.length,
    voice: { name: voice.name, model: voice.model },
    channelId: interaction.channelId ?? undefined,
  };
}

/** Tells the moderators how it went once that is known. Nobody waits for it, and it never rejects. */
export function noteWhenOver(log: ModerationLog, start: NoteStart | undefined, over: Promise<NoteEnd>): void {
  over.then(
    (end) => start && log.note({ ...start, ...end }),
    (error: unknown) => start && log.note({ ...start, outcome: 'failed', credits: creditsOf(error) }),
  );
}

/** What was heard in a channel. */
export function noteOfDelivery({ outcome, channelId, speech }: Delivery): NoteEnd {
  return { outcome: outcome === 'finished' ? 'spoken' : 'stopped', channelId, credits: speech.creditsUsed };
}

/** What was made into a file or a voice message. */
export function noteOfSaved({ facts }: { readonly facts: Pick<SpeechFacts, 'creditsUsed'> }): NoteEnd {
  return { outcome: 'saved', credits: facts.creditsUsed };
}

/** A text that was refused for a blocked word is told to the moderators too; anything else is for its writer alone. */
export function noteBlocked(log: ModerationLog, start: NoteStart | undefined, error: unknown): void {
  if (start && error instanceof BlockedWordError) log.note({ ...start, outcome: 'blocked', credits: 0 });
}

function creditsOf(error: unknown): number | undefined {
  if (!(error instanceof DeliveryError)) return undefined;
  if (error.spending.kind === 'used') return error.spending.credits;
  return error.spending.kind === 'none' ? 0 : undefined;
}
