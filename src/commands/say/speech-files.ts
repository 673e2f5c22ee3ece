import { noteOfSaved, noteWhenOver } from '../../discord/moderation/moderation-notes.ts';
import type { ReplyFile } from '../../discord/replies/content.ts';
import type { SpeechOrder } from '../../services/playback/speech-order.ts';
import type { KeptFile } from '../../services/playback/unspoken-keeper.ts';
import type { SoundFile } from '../../services/synthesis/synthesis-types.ts';
import type { SpeechRequest } from '../../speech/request.ts';
import { text } from '../../texts/catalogue.ts';
import type { Reply } from '../framework/command.ts';
import { offeringAgain } from './confirm-and-retry.ts';
import { keptOrigin } from './kept-text.ts';
import { noteOf } from './moderation-entry.ts';
import { keepOrder } from './pending-requests.ts';
import type { ResolvedOrder, SpeakCall } from './speak-call.ts';
import { outcomeLines, shownWords, speechFacts, spokenBy } from './speech-progress.ts';

/** What Discord takes from a bot where nothing else is said: 10 MiB. */
const ATTACHMENT_BYTES = 10 * 1024 * 1024;

/** How large a file may be where it was asked for. */
export const mostBytes = ({ interaction }: Pick<SpeakCall, 'interaction'>): number =>
  interaction.attachmentSizeLimit || ATTACHMENT_BYTES;

/** Speech as a file of a reply, with its words for those who cannot hear it. */
export function attached(
  { input }: SpeechRequest,
  { bytes, extension }: Pick<SoundFile, 'bytes' | 'extension'>,
): ReplyFile {
  return { name: `speech.${extension}`, bytes, description: input.slice(0, 1_000).toWellFormed() };
}

/** The speech as a file on the reply. */
export function speechFile(call: SpeakCall, resolved: ResolvedOrder): Promise<Reply> {
  const { services } = call;
  const { request } = resolved;
  return offeredAgain(call, resolved, async () => {
    const made = services.synthesiser.file(request, { ...askerOf(call), maxBytes: mostBytes(call) });
    noteWhenOver(services, noteOf(call, resolved), made.then(noteOfSaved));
    const { bytes, extension, facts } = await made;
    return {
      lines: [
        text('say.file', { voice: spokenBy(resolved, facts, services), text: shownWords(resolved) }),
        ...outcomeLines(resolved, facts, services),
      ],
      files: [attached(request, { bytes, extension })],
      facts: speechFacts(facts),
    };
  });
}

/** The speech as a message that Discord shows with its waveform; what it cost follows for the caller alone. */
export function speechVoiceMessage(call: SpeakCall, resolved: ResolvedOrder): Promise<Reply> {
  const { services } = call;
  const { request } = resolved;
  return offeredAgain(call, resolved, async () => {
    const made = services.synthesiser.voiceMessage(request, askerOf(call));
    noteWhenOver(services, noteOf(call, resolved), made.then(noteOfSaved));
    const { facts, ...voiceMessage } = await made;
    return {
      voiceMessage,
      lines: [
        text('say.voice-message', { voice: spokenBy(resolved, facts, services), text: shownWords(resolved) }),
        ...outcomeLines(resolved, facts, services),
      ],
      facts: speechFacts(facts),
    };
  });
}

/** Offers another try when making it fails, unless its asker has had it forgotten meanwhile. */
async function offeredAgain(call: SpeakCall, resolved: ResolvedOrder, make: () => Promise<Reply>): Promise<Reply> {
  const { pending } = call.services;
  // In no queue, it is among what waits for a button from the beginning: /privacy and /forget find it there.
  const underWay = keepOrder(call, resolved.order);
  const kept = keepReply(call, resolved.order);
  try {
    return await make();
  } catch (error) {
    throw pending.peek(underWay) ? await offeringAgain(error, resolved, call) : error;
  } finally {
    pending.take(underWay);
    kept?.over();
  }
}

/** An end of the process must not leave it without an answer. */
function keepReply(
  { interaction, services, answered }: SpeakCall,
  { as, privately }: SpeechOrder,
): KeptFile | undefined {
  if (as === 'voice' || !interaction.inCachedGuild()) return undefined;
  const origin = keptOrigin(interaction, { kind: as, channelId: interaction.channelId ?? '' });
  // What only its asker may see is not said in the channel where the reply takes no edit any more.
  const kept = services.unspoken.keepReply(privately ? { ...origin, textChannelId: undefined } : origin);
  void answered?.then(() => kept?.told());
  return kept;
}

function askerOf({ interaction, signal }: SpeakCall) {
  return { guildId: interaction.guildId ?? undefined, userId: interaction.user.id, spentBy: 'file', signal } as const;
}
