import { UserError } from '../../errors/user-errors.ts';
import type { SpeechOrder } from '../../services/playback/speech-order.ts';
import { text } from '../../texts/catalogue.ts';
import type { ControlCall, Services } from '../framework/command.ts';
import type { SpeakCall } from './speak-call.ts';

/** Keeps a order for a button or a form, whose argument is the returned token. Only who asked for it may use that. */
export function keepOrder(
  { interaction, services }: Omit<SpeakCall, 'signal' | 'services'> & { readonly services: Services },
  order: SpeechOrder,
): string {
  return services.pending.put('order', { ...order, askerId: interaction.user.id });
}

type PendingCall = Omit<ControlCall, 'signal'>;

/** The caller's own order that stands behind a control; undefined when there is none, or when it is somebody else's. */
function findOrder({ interaction, services, argument }: PendingCall): SpeechOrder | undefined {
  const order = services.pending.peek('order', argument);
  return order?.askerId === interaction.user.id ? order : undefined;
}

/** The same, where the caller writes the words. Those of a message that they only had read are not theirs to change. */
export function findOwnWords(call: PendingCall): SpeechOrder | undefined {
  const order = findOrder(call);
  return order?.from === 'own' ? order : undefined;
}

/** The same, where there have to be some: a UserError otherwise. */
export const lookUpOwnWords = (call: PendingCall): SpeechOrder => mustBeThere(findOwnWords(call), call);

/** The caller's own order, once. Whoever may not have it does not take it away from the one who may. */
export function takeOrder(call: PendingCall): SpeechOrder {
  const { pending } = call.services;
  const { id: userId } = call.interaction.user;
  // The buttons stay while the answer is a message of its own: a double click comes here.
  if (pending.wasTakenBy(userId, call.argument)) throw new UserError(text('refused.pressed-already'));
  const order = mustBeThere(findOrder(call), call);
  pending.take('order', call.argument, userId);
  return order;
}

function mustBeThere(order: SpeechOrder | undefined, { services, argument }: PendingCall): SpeechOrder {
  // One that is there is somebody else's.
  if (!order) throw new UserError(text(services.pending.peek('order', argument) ? 'refused.over' : 'say.not-kept'));
  return order;
}
