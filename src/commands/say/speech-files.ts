import { noteOfSaved, noteWhenOver } from '../../discord/moderation/moderation-notes.ts';
import type { ReplyFile } from '../../discord/replies/content.ts';
import { quote } from '../../discord/replies/quote.ts';
import { UserError } from '../../errors/user-errors.ts';
import type { FileUnderWay } from '../../services/playback/guild-speakers.ts';
import type { KeptFile } from '../../services/playback/unspoken.ts';
import type { Requested, SpeechOrder } from '../../services/queue/queue-item.ts';
import type { SoundFile } from '../../services/synthesis/synthesis-types.ts';
import { SpeechError } from '../../speech/errors.ts';
import type { SpeechRequest } from '../../speech/request.ts';
import { text } from '../../texts/catalog.ts';
import { mustBeReadable } from '../framework/checks.ts';
import { type Asked, OfferedError, type Reply, type SpeakCall } from '../framework/command.ts';
import { serverControl } from '../framework/server-call.ts';
import { keptOrigin, mustBeUnblocked, noteOf } from './accepted.ts';
import { keepOrder, offeringAgain, offeringBack, partsToBuy } from './confirm-and-retry.ts';
import { outcomeLines, shownWords, speechFacts, speechLines, spokenBy } from './speech-progress.ts';

/** What Discord takes from a bot where nothing else is said: 10 MiB. */
const ATTACHMENT_BYTES = 10 * 1024 * 1024;
const BILLING_DEADLINE_MS = 2_000;

/** How large a file may be where it was asked for. */
const mostBytes = ({ interaction }: Asked<SpeakCall['interaction']>): number =>
  interaction.attachmentSizeLimit || ATTACHMENT_BYTES;

/** Speech as a file of a reply, with its words for those who cannot hear it. */
function attached({ input }: SpeechRequest, { bytes, extension }: SoundFile): ReplyFile {
  return { name: `speech.${extension}`, bytes, description: input.slice(0, 1_000).toWellFormed() };
}

/** The speech as a file on the reply. */
export function speechFile(
  call: SpeakCall,
  order: SpeechOrder,
  requested: Requested,
  file: FileUnderWay,
): Promise<Reply> {
  const { services } = call;
  const { request } = requested;
  return offeredAgain(call, order, requested, file, async (signal) => {
    const made = services.synthesizer.file(request, { ...askerOf(call, signal), maxBytes: mostBytes(call) });
    noteWhenOver(services, noteOf(call, order, requested), made.then(noteOfSaved));
    const sound = await made;
    const { facts } = sound;
    return {
      lines: [
        text('say.file', { voice: spokenBy(requested, facts, services), text: shownWords(order, requested) }),
        ...outcomeLines(order, requested, facts, services),
      ],
      files: [attached(request, sound)],
      facts: speechFacts(facts),
    };
  });
}

/** The speech as a message that Discord shows with its waveform; what it cost follows for the caller alone. */
export function speechVoiceMessage(
  call: SpeakCall,
  order: SpeechOrder,
  requested: Requested,
  file: FileUnderWay,
): Promise<Reply> {
  const { services } = call;
  const { request } = requested;
  return offeredAgain(call, order, requested, file, async (signal) => {
    const made = services.synthesizer.voiceMessage(request, askerOf(call, signal));
    noteWhenOver(services, noteOf(call, order, requested), made.then(noteOfSaved));
    const { facts, ...voiceMessage } = await made;
    return {
      voiceMessage,
      lines: [
        text('say.voice-message', { voice: spokenBy(requested, facts, services), text: shownWords(order, requested) }),
        ...outcomeLines(order, requested, facts, services),
      ],
      facts: speechFacts(facts),
    };
  });
}

/** Offers another try when making it fails, unless its asker has had it forgotten meanwhile. */
async function offeredAgain(
  call: SpeakCall,
  order: SpeechOrder,
  requested: Requested,
  file: FileUnderWay,
  make: (signal: AbortSignal) => Promise<Reply>,
): Promise<Reply> {
  const { pending } = call.services;
  // The order is in no queue, so it is pending from the beginning: /privacy and /forget find it there.
  const underWay = keepOrder(call, order);
  const kept = keepReply(call, order);
  try {
    const { signal } = file;
    await mustBeCovered(call, order, requested, signal);
    signal.throwIfAborted();
    return await make(signal);
  } catch (error) {
    if (error instanceof OfferedError || !pending.peek('order', underWay)) throw error;
    throw await offeringAgain(error, order, requested, call);
  } finally {
    file.over();
    pending.take('order', underWay);
    kept?.over();
  }
}

/** A file of some parts is none: where the account does not cover all that are to be bought, none is. */
async function mustBeCovered(
  call: SpeakCall,
  order: SpeechOrder,
  requested: Requested,
  signal: AbortSignal,
): Promise<void> {
  const { bot, spending, log } = call.services;
  // If a single part is rejected by the service, it costs nothing.
  if (bot.localVoice || requested.billed.length < 2) return;
  const toBuy = await partsToBuy(call, order, requested);
  const about = toBuy.length < 2 ? undefined : spending.estimateCredits(toBuy)?.about;
  if (about === undefined) return;
  const account = await bot.billing({ deadlineMs: BILLING_DEADLINE_MS, signal }).catch((error: unknown) => {
    if (!(error instanceof SpeechError)) throw error;
    log.info({ err: error }, 'Could not check the balance before a multi-part purchase');
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

/** The button below a spoken text; its argument is the item's id. Cached audio still costs nothing. */
export const saveButton = serverControl({
  name: 'save',
  needs: { speaks: true, cooldown: { uses: 5, perMs: 30_000 } },
  replyTo: 'caller',
  deferred: true,

  async begin({ interaction, services, argument, signal }) {
    const speaker = services.speakers.find(interaction.guildId);
    const item = speaker?.find(argument);
    if (!item) throw new UserError(text('replay.gone'));
    mustBeReadable(interaction, item);
    // Now: a short while later it may be forgotten.
    const heard = speaker?.spoken(argument)?.clip;
    const { guildId, user, channelId } = interaction;
    const { request } = item.requested;
    const characters = request.input.length;
    const note = { guildId, userId: user.id, kind: 'file', characters, channelId: channelId ?? undefined } as const;
    const { authorId } = item.order;
    // First: what ends it may come while its words are looked at.
    const file = services.speakers.files.begin({ guildId, userId: user.id, authorId, request }, signal);
    await mustBeUnblocked(services, note, item).catch((error: unknown) => {
      file.over();
      throw error;
    });
    return async () => {
      try {
        file.signal.throwIfAborted();
        const asker = { guildId, userId: user.id, spentBy: 'file', signal: file.signal } as const;
        const made = services.synthesizer.file(request, {
          ...asker,
          maxBytes: mostBytes({ interaction, services }),
          heard,
        });
        noteWhenOver(services, note, made.then(noteOfSaved));
        const sound = await made;
        const { facts } = sound;
        return {
          lines: [text('save.saved', { text: quote(request.input) }), ...speechLines(facts, services)],
          files: [attached(request, sound)],
          facts: speechFacts(facts),
        };
      } finally {
        file.over();
      }
    };
  },
});
