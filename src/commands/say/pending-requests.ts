import { UserError } from '../../errors/user-errors.ts';
import type { Wish } from '../../services/playback/speech-order.ts';
import { text } from '../../texts/catalogue.ts';
import type { ControlCall } from '../framework/command.ts';
import type { SpeakCall } from './speak-call.ts';

/** Keeps a wish for a button or a form, whose argument is the returned token. Only who asked for it may use that. */
export function keepWish({ interaction, services }: Omit<SpeakCall, 'signal'>, wish: Wish): string {
  return services.pending.put({ ...wish, askerId: interaction.user.id });
}

type Asking = Omit<ControlCall, 'signal'>;

/** The caller's own wish that stands behind a control; undefined when there is none, or when it is somebody else's. */
function findWish({ interaction, services, argument }: Asking): Wish | undefined {
  const wish = services.pending.peek(argument);
  return wish?.askerId === interaction.user.id ? wish : undefined;
}

/** The same, where the caller writes the words. Those of a message that they only had read are not theirs to change. */
export function findOwnWords(call: Asking): Wish | undefined {
  const wish = findWish(call);
  return wish?.from === 'own' ? wish : undefined;
}

/** The same, where there have to be some: a UserError otherwise. */
export const lookUpOwnWords = (call: Asking): Wish => mustBeThere(findOwnWords(call));

/** The caller's own wish, once. Whoever may not have it does not take it away from the one who may. */
export function takeWish(call: Asking): Wish {
  const wish = mustBeThere(findWish(call));
  call.services.pending.take(call.argument);
  return wish;
}

function mustBeThere(wish: Wish | undefined): Wish {
  if (!wish) throw new UserError(text('refused.over'));
  return wish;
}
