import { describe, expect, it } from 'vitest';
import { speechSpan } from './measure.ts';
import { pick } from './pick.ts';
import { expectSameSpeech, soundOf } from './same-speech.ts';
import { newGuest, shareScene } from './scene.ts';

const SPOKEN = { timeoutMs: 15_000 };

const shared = shareScene();

describe('/say', () => {
  it('is heard in the caller’s channel as it was synthesized, encrypted, and answers with voice, channel and credits', async () => {
    const { world, said } = shared.scene;
    const alice = world.member('alice');
    alice.joins('General');

    const sent = await alice.types('/say text:The first word after a join is not clipped.');
    const reply = await sent.reply(SPOKEN);
    const heard = await alice.listener.utterance({ timeoutMs: 5_000 });

    expect(reply.ephemeral).toBe(false);
    expect(reply.text).toMatch(/Spoken in #?General with .+: “The first word after a join is not clipped\.”/);
    expect(reply.text).toMatch(/[\d,]+ credits? used, [\d,]+ credits? left/);
    expect(heard.endToEndEncrypted).toBe(true);
    expect(heard.unencryptedFrames).toBe(0);
    expect(heard.undecryptableFrames).toBe(0);
    expect(heard.lostPackets).toBe(0);
    expectSameSpeech(heard, await said('The first word after a join is not clipped.'));
    expect(world.bot.selfDeafened).toBe(true);
  });

  it('is shown as spoken from its first packet on, without a wait for the next edit', async () => {
    const alice = shared.server.member('alice');
    alice.joins('General');
    const sent = await alice.types(
      '/say text:The reply says that this is heard while it is heard, and from its beginning.',
    );
    await sent.reply({ ...SPOKEN, until: /Speaking in/ });
    const { seconds } = alice.listener.heard();
    await sent.reply({ ...SPOKEN, until: /Spoken in/ });
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThan(0.3);
    expect(alice.listener.heard().seconds).toBeGreaterThan(1.5);
  });

  it('counts as answered when Discord took the deferral and its answer was lost on the way', async () => {
    const { world } = shared.scene;
    const alice = shared.server.member('alice');
    alice.joins('General');
    world.faults.rest({ method: 'POST', path: /^\/interactions\/\d+\/[^/]+\/callback/, loseAnswer: true });

    const sent = await alice.types('/say text:Lost on the way.');

    expect((await sent.reply(SPOKEN)).text).toContain('Spoken in');
    expect((await alice.listener.utterance({ timeoutMs: 5_000 })).seconds).toBeGreaterThan(0.3);
  });

  it('whose first answer Discord refuses is not spoken, and its requester reads what it cost', async () => {
    const { world, service } = shared.scene;
    const alice = shared.server.member('alice');
    alice.joins('General');
    const before = service.ledger.account().creditsLeft;
    world.faults.rest({ method: 'POST', path: /^\/interactions\/\d+\/[^/]+\/callback/, status: 401, delayMs: 300 });
    const sent = await alice.types('/say text:Refused by Discord.');
    const reply = await sent.reply({ timeoutMs: 20_000, until: ({ ephemeral }) => ephemeral });
    expect(reply.text).toContain('Discord didn’t accept the bot’s reply in time, so this wasn’t read. Try again.');
    const used = Number(/(\d+) credits were used/.exec(reply.text)?.[1]);
    expect(before - service.ledger.account().creditsLeft).toBe(used);
    expect(alice.listener.heard().seconds).toBe(0);
    const again = await alice.presses(reply, 'Try again');
    expect((await again.reply({ timeoutMs: 20_000, until: /Spoken in/ })).text).toContain('no credits');
  });

  async function withVoice(model: string, options: Readonly<Record<string, string | number>>) {
    const guest = newGuest(shared.scene.world, 'General');
    const voice = await pick(guest, model);
    const reply = await (await guest.command('say', { ...options, voice: voice.id })).reply(SPOKEN);
    const heard = await guest.listener.utterance(SPOKEN);
    guest.leaves();
    return { reply, heard, voice };
  }

  it('has the speed that is asked for heard with a voice that takes it', async () => {
    const text = 'Slowly or quickly, the words of this sentence stay what they are.';
    const fast = await withVoice('ext', { text, speed: 1.5 });
    const slow = await withVoice('ext', { text, speed: 0.7 });
    const normal = speechSpan(await shared.scene.said(text, fast.voice.id)).seconds;
    expect(speechSpan(soundOf(fast.heard)).seconds).toBeLessThan(normal * 0.8);
    expect(speechSpan(soundOf(slow.heard)).seconds).toBeGreaterThan(normal * 1.2);
    expect(fast.reply.text).not.toContain('ignores');
  });

  it('leaves out an option that the voice ignores, says so, and speaks the same', async () => {
    const text = 'The speed of this one cannot be changed.';
    const { reply, heard, voice } = await withVoice('gpro31', { text, speed: 1.5 });
    expect(reply.text.split('\n')[1]).toBe(`-# ${voice.name} ignores speed, but aria (ext) doesn’t.`);
    expectSameSpeech(heard, await shared.scene.said(text, voice.id));
  });
});
