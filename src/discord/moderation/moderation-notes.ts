import { failureFacts } from '../../errors/explain.ts';
import { causeOf, DeliveryError } from '../../errors/user-errors.ts';
import type { Posted } from '../../reading/decision.ts';
import type { ReadingNotes } from '../../reading/reader.ts';
import type { Kept } from '../../services/playback/unspoken.ts';
import { type Delivery, StoppedByMember } from '../../services/queue/queue-item.ts';
import type { SpeechFacts } from '../../services/synthesis/synthesis-types.ts';
import type { VoiceCatalog } from '../../services/voices/voice-catalog.ts';
import type { Voice } from '../../speech/interface/schemas.ts';
import type { SpeechRequest } from '../../speech/request.ts';
import type { ModerationLog, NoteEnd, NoteStart } from './moderation-log.ts';

/** The outcome, and which voices it had. */
interface Over extends NoteEnd {
  readonly speakers: SpeechFacts['speakers'];
  /** The voice channel that heard it. */
  readonly channelId?: string;
}

interface NoteServices {
  readonly moderation: ModerationLog;
  readonly voices: VoiceCatalog;
}

/**
 * Reports the outcome to the moderators once it is known. Runs in the background and never rejects. What comes back after the next
 * start is not over: it is noted then. `creditsBefore`: paid for it before the start of the process.
 */
export function noteWhenOver(
  { moderation, voices }: NoteServices,
  start: NoteStart | undefined,
  over: Promise<Over>,
  kept?: Kept,
  creditsBefore = 0,
): void {
  const note = ({ credits, speakers, ...end }: Over) => {
    if (!start) return;
    const heard = start.voices && heardVoices(speakers, voices.known()?.voices);
    const all = credits === undefined ? undefined : credits + creditsBefore;
    moderation.note({ ...start, ...end, voices: heard ?? start.voices, credits: all });
  };
  over.then(note, (error: unknown) => {
    if (!kept?.comesBack) note({ ...failureOf(error), credits: creditsOf(error), speakers: undefined });
  });
}

/** The voices of a replacement; undefined if one of them is not known. */
function heardVoices(speakers: SpeechFacts['speakers'], known: readonly Voice[] = []): readonly Voice[] | undefined {
  const heard = speakers?.map((one) => known.find(({ id }) => id === one.heard));
  return heard?.every((voice) => voice !== undefined) ? [...new Set(heard)] : undefined;
}

function failureOf(error: unknown): NoteEnd {
  const root = causeOf(error);
  if (root instanceof StoppedByMember) return { outcome: 'removed', by: root.byUserId };
  return {
    outcome: error instanceof DeliveryError && error.wasHeard ? 'failed' : 'unspoken',
    cause: failureFacts(root).cause,
  };
}

/** For an utterance played in a voice channel. */
export function noteOfDelivery({ outcome, stoppedBy, channelId, speech }: Delivery): Over {
  const ended = outcome === 'finished' ? 'spoken' : 'stopped';
  return { outcome: ended, by: stoppedBy, channelId, ...factsIn(speech) };
}

/** For an utterance made into a file or a voice message. */
export function noteOfSaved({ facts }: { readonly facts: SpeechFacts }): Over {
  return { outcome: 'saved', ...factsIn(facts) };
}

/** Unknown costs must not be shown as zero. */
const factsIn = ({ creditsUsed, mayBeMore, speakers }: SpeechFacts) => ({
  credits: mayBeMore && creditsUsed === 0 ? undefined : creditsUsed,
  speakers,
});

/** The voices of a request that the list has; undefined without a list. */
export function knownVoices(request: SpeechRequest, voices: VoiceCatalog): readonly Voice[] | undefined {
  const ids = new Set((request.passages ?? [request]).map(({ voice }) => voice.voiceId));
  return voices.known()?.voices.filter(({ id }) => ids.has(id));
}

/** For each message that is read aloud, or refused for a blocked word. */
export function notesOfReading({ moderation, voices }: NoteServices): ReadingNotes {
  const startOf = ({ guildId, channelId, author, content }: Posted) =>
    ({ guildId, channelId, userId: author.id, kind: 'auto-read', characters: content.length }) as const;
  return {
    onRead({ message, request, delivery, kept, isBleeped }) {
      const spokenBy = knownVoices(request, voices);
      const start = { ...startOf(message), characters: request.input.length, voices: spokenBy, isBleeped };
      noteWhenOver({ moderation, voices }, start, delivery.then(noteOfDelivery), kept);
    },
    onBlocked: (message) => moderation.note({ ...startOf(message), outcome: 'blocked', credits: 0 }),
  };
}

function creditsOf(error: unknown): number | undefined {
  if (!(error instanceof DeliveryError)) return undefined;
  if (error.cost.kind === 'used') return error.cost.credits;
  return error.cost.kind === 'none' ? 0 : undefined;
}
