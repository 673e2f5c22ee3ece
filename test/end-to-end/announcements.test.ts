import { it } from 'vitest';
import type { Person } from '../../src/playground/world/world.ts';
import type { ServerSettings } from '../../src/services/servers/server-settings.ts';
import { choose } from './reading.ts';
import { expectSameSpeech, newGuest, sceneOfFile } from './scene.ts';

// Needs no intent beyond those that speaking needs.
const scene = await sceneOfFile();
const guest = (nick: string, options = {}) => newGuest(scene.world, undefined, { nick, ...options });

/** A listener, with the bot; ends with both gone. */
async function withListener(settings: ServerSettings, act: (listener: Person) => Promise<void>): Promise<void> {
  await choose(scene, settings);
  const listener = guest('Listener');
  listener.joins('General');
  await (await listener.types('/join')).reply();
  await scene.world.channel('General').hasBot(true);
  try {
    await act(listener);
  } finally {
    await (await scene.world.member('olga').types('/leave')).reply();
    for (const name of scene.world.channel('General').members) scene.world.member(name).leaves();
  }
}

it('arrivals and departures are announced where admins want it, simultaneous arrivals together', async () => {
  await withListener({ announceMembers: true }, async (listener) => {
    const [ann, ben] = [guest('Ann'), guest('Ben')];
    ann.joins('General');
    ben.joins('General');
    expectSameSpeech(await listener.listener.utterance(), await scene.said('Ann and Ben joined'));
    listener.listener.clear();
    ann.leaves();
    expectSameSpeech(await listener.listener.utterance(), await scene.said('Ann left'));
    listener.listener.clear();
    for (const name of ['One', 'Two', 'Three', 'Four']) guest(name).joins('General');
    expectSameSpeech(await listener.listener.utterance(), await scene.said('4 people joined'));
  });
});

it('arrivals are not announced of bots, of members who reconnect, opted out or are muted', async () => {
  const [muted, out, hopping] = [guest('Muted'), guest('Out'), guest('Hopping')];
  await (await out.types('/opt-out')).reply();
  await withListener({ announceMembers: true, mutedMembers: [muted.id] }, async (listener) => {
    for (const silent of [guest('Robot', { bot: true }), muted, out, hopping]) silent.joins('General');
    hopping.leaves();
    // The first thing that is heard is the first that was to be told.
    guest('Ann').joins('General');
    expectSameSpeech(await listener.listener.utterance(), await scene.said('Ann joined'));
  });
});
