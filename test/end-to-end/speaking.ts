import type { Person, SentInteraction, WorldServer } from '../../src/playground/world/world.ts';

/** Seven seconds of speech: time for something to happen in the middle. */
export const LONG =
  'This text is long enough that there is time to do something else while it is being spoken, such as leaving, coming back, or stopping it.';

/** alice has the bot speak the long text in General; resolves when its first sound has been heard. */
export async function speaking(server: WorldServer, text = LONG): Promise<{ alice: Person; sent: SentInteraction }> {
  const alice = server.member('alice');
  alice.joins('General');
  const sent = await alice.types(`/say text:${text}`);
  await alice.listener.audible(1);
  return { alice, sent };
}
