import { type NoteStart, noteOfSaved, noteWhenOver } from '../../discord/moderation/moderation-log.ts';
import type { ReplyFile } from '../../discord/replies/content.ts';
import { quote } from '../../discord/replies/quote.ts';
import { UserError } from '../../errors/user-errors.ts';
import type { Requested, SpeechOrder } from '../../services/queue/queue-item.ts';
import type { SoundFile } from '../../services/synthesis/synthesis-types.ts';
import { SpeechError } from '../../speech/errors.ts';
import type { SpeechRequest } from '../../speech/request.ts';
import { text } from '../../texts/catalog.ts';
import { mustBeReadable } from '../framework/checks.ts';
import { OfferedError, type Reply, type SpeakCall, serverControl, type Work } from '../framework/command.ts';
import { keptOrigin, mustBeUnblocked, offeringAgain, offeringBack, partsToBuy } from './offers.ts';
import { outcomeLines, shownWords, speechFacts, speechLines, spokenBy } from './replies.ts';

/** What Discord takes from a bot where nothing else is said: 10 MiB. */
const ATTACHMENT_BYTES = 10 * 1024 * 1024;
/** How long a file waits for the balance; without it, the file is made. */
const BILLING_DEADLINE_MS = 5_000;

const mostBytes = ({ interaction }: SpeakCall): number => interaction.attachmentSizeLimit || ATTACHMENT_BYTES;

/** Speech as a file of a reply, with its words for those who cannot hear it. */
function attached({ input }: SpeechRequest, { bytes, extension }: SoundFile): ReplyFile {
  return { name: `speech.${extension}`, bytes, description: input.slice(0, 1_000).toWellFormed() };
}

/**
 * The speech as a file on the reply, or as a message that Discord shows with its waveform. From now on it can be called
 * off, also while Discord is still taking the first answer.
 */
export function makeMessage(call: SpeakCall, order: SpeechOrder, requested: Requested, note?: NoteStart): Work {
  const { interaction, services } = call;
  const { speakers, synthesizer, pending } = services;
  const { request } = requested;
  const payer = { guildId: interaction.guildId ?? undefined, userId: interaction.user.id };
  const file = speakers.files.begin({ ...payer, authorId: order.authorId, request }, call.signal);

  async function make(): Promise<Reply> {
    const asked = { ...payer, signal: file.signal };
    const made =
      order.as === 'file'
        ? synthesizer.file(request, { ...asked, maxBytes: mostBytes(call) })
        : synthesizer.voiceMessage(request, asked);
    noteWhenOver(services, note, made.then(noteOfSaved));
    const sound = await made;
    const { facts } = sound;
    const heard = { voice: spokenBy(requested, facts, services), text: shownWords(order, requested) };
    const rest = outcomeLines(order, requested, facts, services);
    const content =
      'extension' in sound
        ? { lines: [text('say.file', heard), ...rest], files: [attached(request, sound)] }
        : { lines: [text('say.voice-message', heard), ...rest], voiceMessage: sound };
    return { ...content, facts: speechFacts(facts) };
  }

  return async () => {
    // The order is in no queue, so it is pending from the beginning: /privacy and /forget find it there.
    const underWay = pending.put('order', order);
    const kept = keepReply(call, order);
    try {
      await mustBeCovered(call, order, requested, file.signal);
      file.signal.throwIfAborted();
      return await make();
    } catch (error) {
      // Its asker may have had it forgotten meanwhile.
      if (error instanceof OfferedError || !pending.peek('order', underWay)) throw error;
      throw await offeringAgain(error, order, requested, services);
    } finally {
      file.over();
      pending.take('order', underWay);
      kept?.over();
    }
  };
}

/** A file of some parts is of no use: if the account does not cover all parts that are to be bought, none is bought. */
async function mustBeCovered(
  { services }: SpeakCall,
  order: SpeechOrder,
  requested: Requested,
  signal: AbortSignal,
): Promise<void> {
  const { bot, spending, log } = services;
  // A single part that the service refuses costs nothing.
  if (bot.localVoice || requested.billed.length < 2) return;
  const toBuy = await partsToBuy(services, requested, 'file');
  const about = toBuy.length < 2 ? undefined : spending.estimateCredits(toBuy)?.about;
  if (!about) return;
  const account = await bot.billing({ deadlineMs: BILLING_DEADLINE_MS, signal }).catch((error: unknown) => {
    if (!(error instanceof SpeechError)) throw error;
    log.info({ err: error }, 'Could not read the balance before a file');
    return undefined;
  });
  if (!account || account.creditsLeft >= about) return;
  const short = new UserError(text('say.not-covered', { about: Math.ceil(about), left: account.creditsLeft }));
  throw offeringBack(short, { ...order, isConfirmed: true, wasAccepted: true }, services);
}

/** An end of the process must not leave it without an answer. */
function keepReply({ interaction, services, answered }: SpeakCall, { as, privately }: SpeechOrder) {
  if (as === 'voice' || !interaction.inCachedGuild()) return undefined;
  const origin = keptOrigin(interaction, { kind: as, channelId: interaction.channelId ?? '', authorId: undefined });
  // What only its asker may see is not said in the channel where the reply takes no edit any more.
  const kept = services.speakers.unspoken.keepReply(privately ? { ...origin, textChannelId: undefined } : origin);
  void answered.then(() => kept?.told());
  return kept;
}

/** The button below a spoken text; its argument is the item's id. Cached audio still costs nothing. */
export const saveButton = serverControl({
  name: 'save',
  needs: { speaks: true, cooldown: { uses: 5, perMs: 30_000 } },
  replyTo: 'caller',
  deferred: true,

  async begin(call) {
    const { interaction, services, argument, signal } = call;
    const { guildId, user, channelId } = interaction;
    const speaker = services.speakers.find(guildId);
    const item = speaker?.find(argument);
    if (!item) throw new UserError(text('replay.gone'));
    mustBeReadable(interaction, item);
    // Now: a short while later it may be forgotten.
    const heard = speaker?.spoken(argument)?.clip;
    const { request } = item.requested;
    const characters = request.input.length;
    const note = { guildId, userId: user.id, kind: 'file', characters, channelId: channelId ?? undefined } as const;
    // First: what ends it may come while its words are looked at.
    const file = services.speakers.files.begin(
      { guildId, userId: user.id, authorId: item.order.authorId, request },
      signal,
    );
    await mustBeUnblocked(services, note, item).catch((error: unknown) => {
      file.over();
      throw error;
    });
    return async () => {
      try {
        file.signal.throwIfAborted();
        const asker = { guildId, userId: user.id, signal: file.signal };
        const made = services.synthesizer.file(request, { ...asker, maxBytes: mostBytes(call), heard });
        noteWhenOver(services, note, made.then(noteOfSaved));
        const sound = await made;
        return {
          lines: [text('save.saved', { text: quote(request.input) }), ...speechLines(sound.facts, services)],
          files: [attached(request, sound)],
          facts: speechFacts(sound.facts),
        };
      } finally {
        file.over();
      }
    };
  },
});
