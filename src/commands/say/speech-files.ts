import { noteOfSaved, noteWhenOver } from '../../discord/moderation/moderation-notes.ts';
import type { ReplyFile } from '../../discord/replies/content.ts';
import { UserError } from '../../errors/user-errors.ts';
import type { FileUnderWay } from '../../services/playback/files-under-way.ts';
import type { SpeechOrder } from '../../services/playback/speech-order.ts';
import type { KeptFile } from '../../services/playback/unspoken-keeper.ts';
import type { SoundFile } from '../../services/synthesis/synthesis-types.ts';
import { SpeechError } from '../../speech/errors.ts';
import type { SpeechRequest } from '../../speech/request.ts';
import { text } from '../../texts/catalogue.ts';
import { OfferedError, type Reply } from '../framework/command.ts';
import { offeringAgain, offeringBack, partsToBuy } from './confirm-and-retry.ts';
import { keptOrigin } from './kept-text.ts';
import { noteOf } from './moderation-entry.ts';
import { keepOrder } from './pending-requests.ts';
import type { ResolvedOrder, SpeakCall } from './speak-call.ts';
import { outcomeLines, shownWords, speechFacts, spokenBy } from './speech-progress.ts';

/** What Discord takes from a bot where nothing else is said: 10 MiB. */
const ATTACHMENT_BYTES = 10 * 1024 * 1024;
const BILLING_DEADLINE_MS = 2_000;

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
export function speechFile(call: SpeakCall, resolved: ResolvedOrder, file: FileUnderWay): Promise<Reply> {
  const { services } = call;
  const { request } = resolved;
  return offeredAgain(call, resolved, file, async (signal) => {
    const made = services.synthesiser.file(request, { ...askerOf(call, signal), maxBytes: mostBytes(call) });
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
export function speechVoiceMessage(call: SpeakCall, resolved: ResolvedOrder, file: FileUnderWay): Promise<Reply> {
  const { services } = call;
  const { request } = resolved;
  return offeredAgain(call, resolved, file, async (signal) => {
    const made = services.synthesiser.voiceMessage(request, askerOf(call, signal));
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
async function offeredAgain(
  call: SpeakCall,
  resolved: ResolvedOrder,
  file: FileUnderWay,
  make: (signal: AbortSignal) => Promise<Reply>,
): Promise<Reply> {
  const { pending } = call.services;
  // In no queue, it is among what waits for a button from the beginning: /privacy and /forget find it there.
  const underWay = keepOrder(call, resolved.order);
  const kept = keepReply(call, resolved.order);
  try {
    const { signal } = file;
    await mustBeCovered(call, resolved, signal);
    signal.throwIfAborted();
    return await make(signal);
  } catch (error) {
    if (error instanceof OfferedError || !pending.peek('order', underWay)) throw error;
    throw await offeringAgain(error, resolved, call);
  } finally {
    file.over();
    pending.take('order', underWay);
    kept?.over();
  }
}

/** A file of some parts is none: where the account does not cover all that are to be bought, none is. */
async function mustBeCovered(call: SpeakCall, resolved: ResolvedOrder, signal: AbortSignal): Promise<void> {
  const { bot, spending, log } = call.services;
  const { order, billed } = resolved;
  // One part alone is refused by the service, and costs nothing.
  if (bot.localVoice || billed.length < 2) return;
  const toBuy = await partsToBuy(call, resolved);
  const about = toBuy.length < 2 ? undefined : spending.estimateCredits(toBuy)?.about;
  if (about === undefined) return;
  const account = await bot.billing({ deadlineMs: BILLING_DEADLINE_MS, signal }).catch((error: unknown) => {
    if (!(error instanceof SpeechError)) throw error;
    log.info({ err: error }, 'What is left could not be asked for before several parts are bought');
    return undefined;
  });
  if (!account || account.creditsLeft >= about) return;
  const short = new UserError(text('say.not-covered', { about: Math.ceil(about), left: account.creditsLeft }));
  throw offeringBack(short, { ...order, isConfirmed: true, wasAccepted: true }, call);
}

/** An end of the process must not leave it without an answer. */
function keepReply(
  { interaction, services, answered }: SpeakCall,
  { as, privately }: SpeechOrder,
): KeptFile | undefined {
  if (as === 'voice' || !interaction.inCachedGuild()) return undefined;
  const origin = keptOrigin(interaction, { kind: as, channelId: interaction.channelId ?? '' });
  // What only its asker may see is not said in the channel where the reply takes no edit any more.
  const kept = services.speakers.unspoken.keepReply(privately ? { ...origin, textChannelId: undefined } : origin);
  void answered?.then(() => kept?.told());
  return kept;
}

function askerOf({ interaction }: SpeakCall, signal: AbortSignal) {
  return { guildId: interaction.guildId ?? undefined, userId: interaction.user.id, spentBy: 'file', signal } as const;
}
