import { describe, expect, it } from 'vitest';
import { expectSameSpeech, inVoice, shareScene, textOf } from './scene.ts';

const shared = await shareScene();

describe('/say', () => {
  it('is heard in the caller’s channel as it was synthesized, encrypted, and answers with voice, channel and credits', async () => {
    const { world, said } = shared.scene;
    const alice = inVoice(world);

    const sent = await alice.types('/say text:The first word after a join is not clipped.');
    const reply = await sent.reply();
    const heard = await alice.listener.utterance();

    expect(reply.ephemeral).toBe(false);
    expect(reply.text).toMatch(/Spoken in #?General with .+: “The first word after a join is not clipped\.”/);
    expect(reply.text).toMatch(/[\d,]+ credits? used, [\d,]+ credits? left/);
    expect(heard).toMatchObject({
      endToEndEncrypted: true,
      unencryptedFrames: 0,
      undecryptableFrames: 0,
      lostPackets: 0,
    });
    expectSameSpeech(heard, await said('The first word after a join is not clipped.'));
    expect(world.bot.selfDeafened).toBe(true);
  });

  it('speaks names and words where Discord shows mentions, emoji, links and marks', async () => {
    const [alice, bob] = [inVoice(shared.server), shared.server.member('bob')];
    const text = `**Hey** <@${bob.id}>!!!!!! Look at https://example.com/a/b?c=1 😂😂 and ||the end|| of <t:1700000000:D>`;
    const words =
      'Hey Bob!!! Look at link to example.com face with tears of joy, 2 times and spoiler of November 14, 2023';
    expect(await textOf(alice.command('say', { text }))).toContain(`“${words}”`);
    expectSameSpeech(await alice.listener.utterance(), await shared.scene.said(words));
  });

  it('is shown as spoken from its first packet on, without a wait for the next edit', async () => {
    const alice = inVoice(shared.server);
    const words = 'The reply says that this is heard while it is heard, and from its beginning.';
    const sent = await alice.types(`/say text:${words}`);
    await sent.reply({ until: /Speaking in/ });
    const { seconds } = alice.listener.heard();
    await sent.reply({ until: /Spoken in/ });
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThan(0.3);
    expect(alice.listener.heard().seconds).toBeGreaterThan(1.5);
  });

  it('whose first answer Discord refuses is not spoken, and its requester reads what it cost', async () => {
    const { world, service } = shared.scene;
    const alice = inVoice(shared.server);
    const before = service.ledger.account().creditsLeft;
    world.faults.rest({ method: 'POST', path: /^\/interactions\/\d+\/[^/]+\/callback/, answer: 401, delayMs: 300 });
    const sent = await alice.types('/say text:Refused by Discord.');
    const reply = await sent.reply({ until: ({ ephemeral }) => ephemeral });
    expect(reply.text).toContain('Discord didn’t accept the bot’s reply in time, so this wasn’t read. Try again.');
    const used = Number(/(\d+) credits were used/.exec(reply.text)?.[1]);
    expect(before - service.ledger.account().creditsLeft).toBe(used);
    expect(alice.listener.heard().seconds).toBe(0);
    const again = await alice.presses(reply, 'Try again');
    expect(await textOf(again, /Spoken in/)).toContain('no credits');
  });
});
