import { button } from '../../discord/replies/layout.ts';
import { failureFacts } from '../../errors/explain.ts';
import { causeOf, DeliveryError, UserError } from '../../errors/user-errors.ts';
import type { Requested, SpeechOrder } from '../../services/queue/queue-item.ts';
import { OptedOutError } from '../../services/servers/opt-outs.ts';
import type { ServerRules } from '../../services/servers/server-rules.ts';
import type { BilledText } from '../../services/spending/spending.ts';
import { charactersOf, type Purpose } from '../../services/synthesis/parts.ts';
import { SpeechError } from '../../speech/errors.ts';
import { billsStyle, requestsOf, type SpeechRequest } from '../../speech/request.ts';
import { type Text, text } from '../../texts/catalog.ts';
import {
  type Asked,
  type Control,
  type ControlAsked,
  EVERYWHERE,
  OfferedError,
  type Services,
  type SpeakCall,
} from '../framework/command.ts';

/** Keeps a order for a button or a form, whose argument is the returned token. Only who asked for it may use that. */
export function keepOrder({ interaction, services }: Asked<SpeakCall['interaction']>, order: SpeechOrder): string {
  return services.pending.put('order', { ...order, userId: interaction.user.id });
}

/** The caller's own order behind a control; undefined if there is none, or if it belongs to another member. */
function findOrder({ interaction, services, argument }: ControlAsked): SpeechOrder | undefined {
  const order = services.pending.peek('order', argument);
  return order?.userId === interaction.user.id ? order : undefined;
}

/** The same, where the caller writes the words. Those of a message that they only had read are not theirs to change. */
export function findOwnWords(call: ControlAsked): SpeechOrder | undefined {
  const order = findOrder(call);
  return order?.from === 'own' ? order : undefined;
}

/** The same, where there have to be some: a UserError otherwise. */
export const lookUpOwnWords = (call: ControlAsked): SpeechOrder => mustBeThere(findOwnWords(call), call);

/** Takes the caller's own order, once. A caller who has no right to it does not take it away from its owner. */
export function takeOrder(call: ControlAsked): SpeechOrder {
  const { pending } = call.services;
  const { id: userId } = call.interaction.user;
  // The buttons stay while the answer is a message of its own: a double click comes here.
  if (pending.wasTakenBy(userId, call.argument)) throw new UserError(text('refused.pressed-already'));
  const order = mustBeThere(findOrder(call), call);
  pending.take('order', call.argument, userId);
  return order;
}

function mustBeThere(order: SpeechOrder | undefined, { services, argument }: ControlAsked): SpeechOrder {
  // If the order exists, it belongs to another member.
  if (!order) throw new UserError(text(services.pending.peek('order', argument) ? 'refused.over' : 'say.not-kept'));
  return order;
}

/**
 * Its requester is asked before a long text is made where it costs credits. Rejects with the question, or with the refusal that would follow it.
 */
export async function confirmFirst(
  call: SpeakCall,
  order: SpeechOrder,
  requested: Requested,
  rules: ServerRules,
): Promise<void> {
  const { interaction, services } = call;
  const { billed } = requested;
  const { confirmAboveCharacters: most } = rules;
  if (services.bot.localVoice || order.isConfirmed || charactersOf(billed) <= most) return;
  const toBuy = await partsToBuy(call, order, requested);
  if (charactersOf(toBuy) <= most) return;
  await services.spending.mustAllow({ guildId: interaction.guildId ?? undefined, userId: interaction.user.id }, toBuy);
  throw askFirst(call, order, requested, toBuy);
}

/** What the sound of an order is made for. */
export const purposeOf = ({ as }: SpeechOrder): Purpose => (as === 'voice' ? 'listener' : 'file');

/** The parts of an order that are not cached. */
export async function partsToBuy(
  { services: { synthesizer } }: SpeakCall,
  order: SpeechOrder,
  { request, billed }: Requested,
): Promise<readonly BilledText[]> {
  const sound = await synthesizer.recall(request, purposeOf(order));
  return billed.filter((_, part) => sound[part]?.kind !== 'at-hand');
}

/** States the cost before anything is bought; `toBuy` has the parts that are not cached. */
export function askFirst(
  call: SpeakCall,
  order: SpeechOrder,
  requested: Requested,
  toBuy: readonly BilledText[],
): OfferedError {
  const token = keepOrder(call, { ...order, isConfirmed: true });
  const yes = button('say-go', text('say.confirm-yes', { as: order.as }), token, 'primary');
  return new OfferedError(new UserError(question(call, order, requested, toBuy)), [
    [yes, button('say-cancel', text('question.cancel'), token)],
  ]);
}

function question(
  { services }: SpeakCall,
  { as }: SpeechOrder,
  { billed, request }: Requested,
  toBuy: readonly BilledText[],
): Text {
  const about = services.bot.localVoice ? 0 : services.spending.estimateCredits(toBuy)?.about;
  if (about === 0) return text('say.confirm-free', { characters: charactersOf(billed), as });
  const characters = charactersOf(toBuy);
  const style = requestsOf(request).some(billsStyle) ? 'billed' : 'other';
  if (about === undefined) return text('say.confirm', { characters, style, as });
  return text('say.confirm-about', { characters, about: Math.max(1, Math.round(about)), style, as });
}

/** The other answer to the question: nothing is made of what was kept. */
export const cancelControl: Control = {
  name: 'say-cancel',
  needs: { contexts: EVERYWHERE },
  replyTo: 'message',
  deferred: false,
  begin(call) {
    takeOrder(call);
    return async () => ({ lines: [text('say.canceled')] });
  },
};

/**
 * The failure with the voice for the log, and with a button where trying again makes sense. What may be billed already is
 * not sent again by itself.
 */
export async function offeringAgain(
  error: unknown,
  order: SpeechOrder,
  { voices, request }: Requested,
  call: SpeakCall,
): Promise<OfferedError> {
  forgetVanishedVoices(call.services, error);
  const { rows } =
    failureFacts(error).isWorthRetrying || (await isCutOffUnharmed(error, request, call))
      ? withAnotherTry(error, { ...order, isConfirmed: true, wasAccepted: true }, call)
      : { rows: [] };
  return new OfferedError(error, rows, { voice: voices[0]?.name });
}

/** The service refused a voice that its list had: the next one who chooses sees a fresh list. */
function forgetVanishedVoices({ voices, log }: Services, error: unknown): void {
  const cause = causeOf(error);
  if (!(cause instanceof SpeechError) || cause.kind !== 'voice-not-found') return;
  voices.refresh().catch((failure: unknown) => log.warn({ err: failure }, 'Could not refresh the voice list'));
}

/** What was refused at the press of a button, with a button for when that has been seen to. */
export function offeringBack(error: unknown, order: SpeechOrder, call: SpeakCall): OfferedError {
  if (error instanceof OptedOutError) return new OfferedError(error, []);
  return error instanceof OfferedError ? error : withAnotherTry(error, order, call);
}

function withAnotherTry(error: unknown, order: SpeechOrder, call: SpeakCall): OfferedError {
  const token = keepOrder(call, order);
  return new OfferedError(error, [[button('say-go', text('say.again'), token)]]);
}

/** Put out of the channel, or unheard there; speaking it again pays for nothing that was paid for. */
async function isCutOffUnharmed(error: unknown, request: SpeechRequest, { services }: SpeakCall): Promise<boolean> {
  if (failureFacts(error).effect !== 'cut-off' || !(error instanceof DeliveryError)) return false;
  if (services.bot.localVoice || error.cost.kind === 'none') return true;
  const sound = await services.synthesizer.recall(request);
  return sound.every(({ kind }) => kind === 'at-hand');
}
