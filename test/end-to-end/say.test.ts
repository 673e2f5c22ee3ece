import { describe, expect, it } from 'vitest';
import { splitAtLongestSilence } from './measure.ts';
import { expectSameSound, expectSameSpeech, soundOf } from './same-speech.ts';
import { shareScene, startScene } from './scene.ts';

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

  it('speaks two texts one after the other, in order, without overlap', async () => {
    const { said } = shared.scene;
    const [alice, bob] = [shared.server.member('alice'), shared.server.member('bob')];
    alice.joins('General');
    bob.joins('General');

    const first = await alice.types('/say text:This is the first of the two texts.');
    const second = await bob.types('/say text:And here comes another one.');
    await second.reply(SPOKEN);
    const firstReply = await first.reply(SPOKEN);
    const heard = await alice.listener.utterance({ quietMs: 600, timeoutMs: 5_000 });

    expect(firstReply.text).toContain('first of the two');
    const [one, two] = splitAtLongestSilence(soundOf(heard));
    expectSameSound(one, await said('This is the first of the two texts.'));
    expectSameSound(two, await said('And here comes another one.'));
  });

  it('loses nothing of the speech when the DAVE handshake takes a second', async () => {
    const { world, said } = await startScene({ world: { voice: { daveHandshakeDelayMs: 1_000 } } });
    const alice = world.member('alice');
    alice.joins('General');

    const sent = await alice.types('/say text:Patience is heard in full.');
    await sent.reply(SPOKEN);
    const heard = await alice.listener.utterance({ timeoutMs: 5_000 });

    expect(heard.unencryptedFrames).toBe(0);
    expect(heard.endToEndEncrypted).toBe(true);
    expectSameSpeech(heard, await said('Patience is heard in full.'));
  });

  it('continues to speak when the gateway drops the connection in the middle', async () => {
    const { world, said } = shared.scene;
    const alice = shared.server.member('alice');
    alice.joins('General');
    const text =
      'The gateway may drop the connection while this sentence is being spoken, and nobody should notice it at all.';

    const sent = await alice.types(`/say text:${text}`);
    await alice.listener.audible(50, { timeoutMs: 10_000 });
    const before = world.bot.resumes;
    world.faults.dropGateway();
    expect(world.bot.resumes).toBe(before);
    await world.until(() => world.bot.resumes === before + 1, { timeoutMs: 10_000, what: 'the resume' });
    const reply = await sent.reply(SPOKEN);
    const heard = await alice.listener.utterance({ timeoutMs: 5_000 });

    expect(reply.text).toContain('Spoken in');
    expectSameSpeech(heard, await said(text));
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
    expect(reply.text).toContain('Discord didn’t accept the bot’s reply, so this was canceled. Try again.');
    const used = Number(/(\d+) credits were used/.exec(reply.text)?.[1]);
    expect(before - service.ledger.account().creditsLeft).toBe(used);
    expect(alice.listener.heard().seconds).toBe(0);
    const again = await alice.presses(reply, 'Try again');
    expect((await again.reply({ timeoutMs: 20_000, until: /Spoken in/ })).text).toContain('no credits');
  });
});
