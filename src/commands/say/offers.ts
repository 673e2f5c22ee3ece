import type { NoteStart } from '../../discord/moderation/moderation-log.ts';
import { button } from '../../discord/replies/layout.ts';
import { costLines, failureFacts, loggedCost } from '../../errors/explain.ts';
import { type Cost, causeOf, DeliveryError, UserError } from '../../errors/user-errors.ts';
import type { KeptOrigin } from '../../services/playback/unspoken.ts';
import type { QueueItem, Requested, SpeechOrder } from '../../services/queue/queue-item.ts';
import type { ServerRules } from '../../services/servers/admission.ts';
import { charactersOf, type Purpose } from '../../services/synthesis/parts.ts';
import { SpeechError } from '../../speech/errors.ts';
import { billsStyle, requestsOf, type SpeechRequest } from '../../speech/interface/schemas.ts';
import { text } from '../../texts/catalog.ts';
import { cancelButton, cancelControl } from '../framework/buttons.ts';
import { type ControlCall, OfferedError, type Reply, type Services, type SpeakCall } from '../framework/command.ts';

/** Undefined if the stored request has expired or belongs to another member. */
export function findOrder({ interaction, services, argument }: ControlCall): SpeechOrder | undefined {
  const order = services.pending.peek('order', argument);
  return order?.userId === interaction.user.id ? order : undefined;
}

/** Takes the stored request, so that it is used only once. Throws a UserError if it is gone or another member's. */
export function takeOrder(call: ControlCall): SpeechOrder {
  const { pending } = call.services;
  const { id: userId } = call.interaction.user;
  // A used button stays clickable if the answer was a separate message, so a second press gets its own refusal.
  if (pending.wasTakenBy(userId, call.argument)) throw new UserError(text('refused.pressed-already'));
  const order = findOrder(call);
  if (!order) throw new UserError(text('refused.over'));
  pending.take('order', call.argument, userId);
  return order;
}

export const cancelOrder = cancelControl('say', takeOrder);

export async function partsToBuy({ synthesizer }: Services, { request, billed }: Requested, purpose: Purpose) {
  const sound = await synthesizer.recall(request, purpose);
  return billed.filter((_, part) => sound[part]?.kind !== 'at-hand');
}

export const goOnName = (privately = false): string => (privately ? 'say-go-privately' : 'say-go');

/** Adds a button if another try makes sense: the bot itself never repeats a request that may have been billed. */
export async function offeringAgain(
  error: unknown,
  order: SpeechOrder,
  { voices, request }: Requested,
  services: Services,
): Promise<OfferedError> {
  const cause = causeOf(error);
  // The voice list is fetched again, because the cached list has a voice that the speech service no longer has.
  if (cause instanceof SpeechError && cause.kind === 'voice-not-found') {
    services.voices.refresh().catch((failure: unknown) => {
      services.log.warn({ err: failure }, 'Could not fetch the voice list: the next command retries');
    });
  }
  const isAgain = failureFacts(error).isWorthRetrying || (await isCutOffUnharmed(error, request, services));
  const again = { ...order, isConfirmed: true, wasAccepted: true };
  return new OfferedError(error, isAgain ? againRows(services, again) : [], { voice: voices[0]?.name });
}

/** True if the bot had to leave or was not heard, and all paid audio is cached: another try is free. */
async function isCutOffUnharmed(error: unknown, request: SpeechRequest, services: Services): Promise<boolean> {
  if (failureFacts(error).effect !== 'cut-off' || !(error instanceof DeliveryError)) return false;
  if (services.bot.localVoice || error.cost.kind === 'none') return true;
  const sound = await services.synthesizer.recall(request);
  return sound.every(({ kind }) => kind === 'at-hand');
}

export function offeringBack(error: unknown, order: SpeechOrder, services: Services): OfferedError {
  if (error instanceof OfferedError) return error;
  const hasOptedOut = error instanceof UserError && error.kind === 'opted-out';
  return new OfferedError(error, hasOptedOut ? [] : againRows(services, order));
}

export const againRows = (services: Services, order: SpeechOrder) => [
  [button(goOnName(order.privately), text('say.again'), services.pending.put('order', order))],
];

/**
 * Rejects with a BlockedWordError if admins have blocked a word of a text since it was spoken. The moderation log then
 * shows the attempt, with the member and channel from `start`.
 */
export async function mustBeUnblocked(
  { texts, moderation }: Services,
  start: NoteStart,
  { requested: { request } }: QueueItem,
): Promise<void> {
  const blocked = await texts.blockedInRequest(request, start.guildId);
  if (!blocked) return;
  moderation.note({ ...start, outcome: 'blocked', credits: 0 });
  throw blocked;
}

export function keptOrigin(
  interaction: SpeakCall<'cached'>['interaction'],
  kept: Pick<KeptOrigin, 'kind' | 'channelId' | 'authorId'>,
): KeptOrigin {
  const { guildId, user, channelId: textChannelId, applicationId, id: interactionId, token, locale } = interaction;
  const reply = { applicationId, interactionId, token, locale };
  return { ...kept, guildId, userId: user.id, textChannelId: textChannelId ?? undefined, reply };
}

/** The reply if the bot stops before a text ends. After the next start, the bot speaks the text or asks the member. */
export function laterReply(error: unknown, { bot }: Services): Reply {
  const cost: Cost = error instanceof DeliveryError ? error.cost : { kind: 'none' };
  const logged = bot.localVoice ? undefined : loggedCost(cost);
  // The bot repeats a partly heard text only if the requester wants that.
  const isBegun = error instanceof DeliveryError && error.wasHeard;
  const billed = isBegun ? 'begun' : logged?.creditsMayBeSpent ? 'maybe' : 'no';
  const why = text('resumed.later', { billed, isOver: failureFacts(error).kind === 'session-ended' ? 'yes' : 'no' });
  return {
    lines: [why, ...(cost.kind === 'none' || bot.localVoice ? [] : costLines(cost))],
    facts: { spoken: 'after the next start', ...logged },
  };
}

/** Rejects with a question if a long text costs credits, or with the refusal if the spending limits forbid the text. */
export async function confirmFirst(
  call: SpeakCall,
  order: SpeechOrder,
  requested: Requested,
  { confirmAboveCharacters: most }: ServerRules,
): Promise<void> {
  const { interaction, services } = call;
  const { request, billed } = requested;
  if (services.bot.localVoice || order.isConfirmed || charactersOf(billed) <= most) return;
  const toBuy = await partsToBuy(services, requested, purposeOf(order));
  const characters = charactersOf(toBuy);
  if (characters <= most) return;
  await services.spending.mustAllow({ guildId: interaction.guildId ?? undefined, userId: interaction.user.id }, toBuy);
  const { as } = order;
  const about = services.spending.estimateCredits(toBuy)?.about;
  if (about === 0) return;
  const style = requestsOf(request).some(billsStyle) ? 'billed' : 'other';
  const credits = about === undefined ? 0 : Math.max(1, Math.round(about));
  const asked = text('say.confirm', { characters, about: credits, style, as });
  const token = services.pending.put('order', { ...order, isConfirmed: true });
  const yes = button(goOnName(order.privately), text('say.confirm-yes', { as }), token, 'primary');
  throw new OfferedError(new UserError(asked), [[yes, cancelButton('say', token)]]);
}

export const purposeOf = ({ as }: SpeechOrder): Purpose => (as === 'voice' ? 'listener' : 'file');

/** The fields of a moderation note before the text is spoken. Undefined outside the bot's servers. */
export function noteOf(
  { interaction }: SpeakCall,
  order: SpeechOrder,
  /** Undefined if the text was refused before a voice was chosen. */
  requested: Requested | undefined,
): NoteStart | undefined {
  if (!interaction.inCachedGuild()) return undefined;
  return {
    guildId: interaction.guildId,
    userId: interaction.user.id,
    kind: order.as !== 'voice' ? order.as : order.from === 'message' ? 'message' : 'command',
    characters: (requested?.request.input ?? order.words).length,
    voices: requested?.voices,
    channelId: interaction.channelId,
    isBleeped: requested?.isBleeped ?? false,
  };
}
