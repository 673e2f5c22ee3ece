import { DeliveryError } from '../errors.ts';
import type { ReadNote } from '../reading/reader.ts';
import type { SpeechFacts } from '../services/rendition-types.ts';
import type { Delivery } from '../services/utterance.ts';
import type { VoiceCatalogue } from '../services/voice-catalogue.ts';
import type { ModerationLog, SpokenNote } from './moderation-log.ts';

/** What is known before it is known how it goes. */
export type NoteStart = Omit<SpokenNote, 'outcome' | 'credits'>;

/** How it went, where it went well. */
export type NoteEnd = Pick<SpokenNote, 'outcome' | 'credits'> & { readonly channelId?: string };

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

interface ReadingServices {
  readonly moderation: ModerationLog;
  readonly voices: Pick<VoiceCatalogue, 'known'>;
}

/** Of each message that is read from a chat. */
export function noteReading({ moderation, voices }: ReadingServices): (read: ReadNote) => void {
  return ({ message, request, delivery }) => {
    const { voiceId } = request.voice.kind === 'id' ? request.voice : {};
    const start = {
      guildId: message.guildId,
      userId: message.author.id,
      kind: 'auto-read',
      characters: request.input.length,
      voice: voices.known()?.voices.find(({ id }) => id === voiceId),
      channelId: message.channelId,
    } as const;
    noteWhenOver(moderation, start, delivery.then(noteOfDelivery));
  };
}

function creditsOf(error: unknown): number | undefined {
  if (!(error instanceof DeliveryError)) return undefined;
  if (error.spending.kind === 'used') return error.spending.credits;
  return error.spending.kind === 'none' ? 0 : undefined;
}
