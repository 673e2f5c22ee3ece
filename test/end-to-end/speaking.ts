import type { Person, SentInteraction } from '../../src/playground/world.ts';
import type { Scene } from './scene.ts';

/** Seven seconds of speech: time for something to happen in the middle. */
export const LONG =
  'This text is long enough that there is time to do something else while it is being spoken, such as leaving, coming back, or stopping it.';

/** alice has the bot speak the long text in General; resolves when its first sound has been heard. */
export async function speaking({ world }: Scene): Promise<{ alice: Person; sent: SentInteraction }> {
  const alice = world.member('alice');
  alice.joins('General');
  const sent = await alice.types(`/say text:${LONG}`);
  await alice.listener.audible(1, { timeoutMs: 15_000 });
  return { alice, sent };
}
