import { UserError } from '../errors.ts';
import { text } from '../texts/catalogue.ts';
import type { ControlCall } from './command.ts';
import type { SpeakCall } from './speak-call.ts';
import type { Wish } from './wish.ts';

/** Keeps a wish for a button or a form, whose argument is the returned token. Only who asked for it may use that. */
export function keepWish({ interaction, services }: SpeakCall, wish: Wish): string {
  return services.pending.put({ ...wish, askerId: interaction.user.id });
}

/** The wish that stands behind a control, once. A UserError when there is none, or when it is somebody else's. */
export function takeWish({ interaction, services, argument }: ControlCall): Wish {
  // Looked at first: whoever may not have it does not take it away from the one who may.
  const isTheirs = services.pending.peek(argument)?.askerId === interaction.user.id;
  const wish = isTheirs ? services.pending.take(argument) : undefined;
  if (!wish) throw new UserError(text('refused.over'));
  return wish;
}
