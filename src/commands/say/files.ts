import { noteWhenOver } from '../../discord/moderation/moderation-log.ts';
import { quote } from '../../discord/replies/layout.ts';
import { UserError } from '../../errors/user-errors.ts';
import type { Requested, SpeechOrder } from '../../services/queue/queue-item.ts';
import { SpeechError } from '../../speech/errors.ts';
import { text } from '../../texts/catalog.ts';
import { mustBeReadable } from '../framework/checks.ts';
import { OfferedError, type Reply, type SpeakCall, serverControl, type Work } from '../framework/command.ts';
import { keptOrigin, mustBeUnblocked, noteOf, offeringAgain, offeringBack, partsToBuy } from './offers.ts';
import { otherVoiceRows, outcomeLines, shownWords, speechFacts, speechLines, spokenBy } from './replies.ts';

/** Discord's size limit for a bot's files, used if the interaction states none: 10 MiB. */
const ATTACHMENT_BYTES = 10 * 1024 * 1024;
/** After this time, the bot makes a file without knowing the account's balance. */
const BILLING_DEADLINE_MS = 5_000;

const mostBytes = ({ interaction }: SpeakCall): number => interaction.attachmentSizeLimit || ATTACHMENT_BYTES;

/** The description is the spoken text, for people who cannot hear. */
const attached = (
  { input }: Requested['request'],
  { bytes, extension }: { readonly bytes: Uint8Array; readonly extension: string },
) => ({ name: `speech.${extension}`, bytes, description: input.slice(0, 1_000).toWellFormed() });

/**
 * The file is registered at once, so that an opt-out or /forget can cancel it before Discord accepts the first answer.
 */
export function makeMessage(call: SpeakCall, order: SpeechOrder, requested: Requested): Work {
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
    noteWhenOver(services, noteOf(call, order, requested), made);
    const sound = await made;
    const { facts } = sound;
    const heard = { voice: spokenBy(requested.voices, facts, services), text: shownWords({ order, requested }) };
    const seen = { ...payer, privately: order.privately ?? false };
    const rest = [...outcomeLines(requested, facts, services), ...(await speechLines(facts, seen, services))];
    const content =
      'extension' in sound
        ? { lines: [text('say.file', heard), ...rest], files: [attached(request, sound)] }
        : { lines: [text('say.voice-message', heard), ...rest], voiceMessage: sound };
    return { ...content, rows: otherVoiceRows({ order, requested }, services), facts: speechFacts(facts, services) };
  }

  return async () => {
    // A text that becomes a file is in no queue. It is stored like a waiting text, so that /privacy and /forget find it.
    const underWay = pending.put('order', order);
    const kept = keepReply(call, order);
    try {
      await mustBeCovered(call, order, requested, file.signal);
      file.signal.throwIfAborted();
      return await make();
    } catch (error) {
      // A request that is no longer stored was deleted with /forget, so the reply offers no second try.
      if (error instanceof OfferedError || !pending.peek('order', underWay)) throw error;
      throw await offeringAgain(error, order, requested, services);
    } finally {
      file.over();
      pending.take('order', underWay);
      kept?.over();
    }
  };
}

/** Rejects if the balance does not cover all audio that a file still needs, because an incomplete file is useless. */
async function mustBeCovered(
  { services }: SpeakCall,
  order: SpeechOrder,
  requested: Requested,
  signal: AbortSignal,
): Promise<void> {
  const { bot, spending, log } = services;
  // A single request needs no check of the balance: if the speech service refuses the request, nothing is billed.
  if (bot.localVoice || requested.billed.length < 2) return;
  const toBuy = await partsToBuy(services, requested, 'file');
  const about = toBuy.length < 2 ? undefined : spending.estimateCredits(toBuy)?.about;
  if (!about) return;
  const account = await bot.billing({ deadlineMs: BILLING_DEADLINE_MS, signal }).catch((error: unknown) => {
    if (!(error instanceof SpeechError)) throw error;
    log.info({ err: error }, 'Account balance is unknown: making the audio file anyway');
    return undefined;
  });
  if (!account || account.creditsLeft >= about) return;
  const short = new UserError(text('say.not-covered', { about: Math.ceil(about) }));
  throw offeringBack(short, { ...order, isConfirmed: true, wasAccepted: true }, services);
}

/** Stores the reply's token, so that the next process can answer if this one ends before the file is made. */
function keepReply({ interaction, services, answered }: SpeakCall, { as, privately }: SpeechOrder) {
  if (as === 'voice' || !interaction.inCachedGuild()) return undefined;
  const origin = keptOrigin(interaction, { kind: as, channelId: interaction.channelId ?? '', authorId: undefined });
  // A private reply is stored without its text channel, so that the next process cannot post the reply in public.
  const kept = services.speakers.unspoken.keepReply(privately ? { ...origin, textChannelId: undefined } : origin);
  void answered.then(() => kept?.told());
  return kept;
}

export const saveButton = serverControl({
  name: 'save',
  speaks: true,
  cooldown: { uses: 5, perMs: 30_000 },
  deferred: true,

  async begin(call) {
    const { interaction, services, argument, signal } = call;
    const { guildId, user, channelId } = interaction;
    const speaker = services.speakers.find(guildId);
    const item = speaker?.find(argument);
    if (!item) throw new UserError(text('replay.gone'));
    mustBeReadable(interaction, item);
    // The audio is taken before any wait, because the replay history may drop it meanwhile.
    const heard = speaker?.spoken(argument)?.clip;
    const { request } = item.requested;
    const characters = request.input.length;
    const note = { guildId, userId: user.id, kind: 'file', characters, channelId } as const;
    // The file is registered before the check for blocked words, so that an opt-out of the author can cancel the file.
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
        noteWhenOver(services, note, made);
        const sound = await made;
        return {
          lines: [
            text('save.saved', { text: quote(request.input) }),
            ...(await speechLines(sound.facts, { ...asker, privately: true }, services)),
          ],
          files: [attached(request, sound)],
          facts: speechFacts(sound.facts, services),
        };
      } finally {
        file.over();
      }
    };
  },
});
