import { it } from 'vitest';
import type { Person } from '../../src/playground/world/world.ts';
import type { ServerSettings } from '../../src/services/servers/server-settings.ts';
import { choose } from './reading.ts';
import { expectSameSpeech, newGuest, replyTo, shareScene } from './scene.ts';

// Needs no intent beyond those that speaking needs.
const shared = await shareScene();
const { scene } = shared;
const guest = (nick: string, options = {}) => newGuest(shared.server, undefined, { nick, ...options });

/** What a member with the bot hears. */
async function listening(settings: ServerSettings): Promise<Person['listener']> {
  await choose(scene, settings, shared);
  const listener = guest('Listener');
  listener.joins('General');
  await replyTo(listener.types('/join'));
  await shared.server.channel('General').hasBot(true);
  return listener.listener;
}

it('arrivals and departures are announced where admins want it, simultaneous arrivals together', async () => {
  const listener = await listening({ announceMembers: true });
  const [ann, ben] = [guest('Ann'), guest('Ben')];
  ann.joins('General');
  ben.joins('General');
  expectSameSpeech(await listener.utterance(), await scene.said('Ann and Ben joined'));
  listener.clear();
  ann.leaves();
  expectSameSpeech(await listener.utterance(), await scene.said('Ann left'));
  listener.clear();
  for (const name of ['One', 'Two', 'Three', 'Four']) guest(name).joins('General');
  expectSameSpeech(await listener.utterance(), await scene.said('4 people joined'));
});

it('arrivals are not announced of bots, of members who reconnect, opted out or are muted', async () => {
  const [muted, out, hopping] = [guest('Muted'), guest('Out'), guest('Hopping')];
  await replyTo(out.types('/opt-out'));
  const listener = await listening({ announceMembers: true, mutedMembers: [muted.id] });
  for (const silent of [guest('Robot', { bot: true }), muted, out, hopping]) silent.joins('General');
  hopping.leaves();
  // The first thing that is heard is the first that was to be told.
  guest('Ann').joins('General');
  expectSameSpeech(await listener.utterance(), await scene.said('Ann joined'));
});
