import { describe, expect, it } from 'vitest';
import { expectSameSpeech } from './same-speech.ts';
import { startScene } from './scene.ts';
import { LONG, speaking } from './speaking.ts';

const ANSWERED = { timeoutMs: 30_000 };

describe('leaving', () => {
  it('told to stop by signal while speaking, the bot leaves the channel and ends within ten seconds', async () => {
    const scene = await startScene({ env: { DRAIN_TIMEOUT_MS: '5000' } });
    await speaking(scene);
    const startedAt = performance.now();
    scene.bot.signal('SIGTERM');
    const { code } = await scene.bot.ended;
    expect(code).toBe(0);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    expect(scene.world.bot.voiceChannel).toBeUndefined();
  });

  it('a kick ends the text with plain words, and the next one joins again', async () => {
    const scene = await startScene();
    const { alice, sent } = await speaking(scene);
    scene.world.member('olga').disconnects('bot');
    const reply = await sent.reply({ ...ANSWERED, until: (message) => message.ephemeral });
    expect(reply.text).toContain('disconnected');
    expect(reply.text).toMatch(/credits? (was|were) used/);

    const again = await alice.types('/say text:Back again.');
    expect((await again.reply(ANSWERED)).text).toContain('Spoken in');
  });

  it('the last listener leaving in the middle stops the text and the bot leaves too', async () => {
    const scene = await startScene();
    const { alice, sent } = await speaking(scene);
    alice.leaves();
    await scene.world.channel('General').hasBot(false, ANSWERED);
    const reply = await sent.reply(ANSWERED);
    expect(reply.text).toContain('left');
  });

  it('the last listener moving away counts as leaving', async () => {
    const scene = await startScene();
    const { alice } = await speaking(scene);
    alice.moves('Stage');
    await scene.world.channel('General').hasBot(false, ANSWERED);
  });

  it('/stop stops what is being spoken and says so', async () => {
    const scene = await startScene();
    const { alice, sent } = await speaking(scene);
    const stop = await alice.types('/stop');
    expect((await stop.reply(ANSWERED)).text).toContain('Stopped');
    expect((await sent.reply(ANSWERED)).text).toMatch(/Stopped before the end/);
    expect(alice.listener.heard().seconds).toBeLessThan(4);
  });

  it('an outage of the server is not "left": speech goes on and settings stay', async () => {
    const scene = await startScene();
    const olga = scene.world.member('olga');
    const voices = await olga.autocompletes('say', { voice: '' }, { filled: { text: 'x' } });
    const chosen = String(voices[1]?.value);
    await (await olga.command('settings voice', { voice: chosen })).reply(ANSWERED);
    const { alice, sent } = await speaking(scene);

    const end = scene.world.outage();
    await alice.listener.audible(150, ANSWERED);
    end();
    expect((await sent.reply(ANSWERED)).text).toContain('Spoken in');
    expectSameSpeech(alice.listener.heard(), await scene.said(LONG, chosen));
    const now = await (await olga.command('settings voice')).reply(ANSWERED);
    expect(now.text).toContain('This server’s default voice is');
  });

  it('the bot dragged to another channel goes on speaking there', async () => {
    const scene = await startScene();
    const lounge = scene.world.channel('Lounge');
    const { sent } = await speaking(scene);
    scene.world.member('bob').joins('Lounge');
    scene.world.member('olga').drags('bot', 'Lounge');
    await lounge.hasBot(true, ANSWERED);
    await sent.reply(ANSWERED);
    expect(lounge.listener.heard().seconds).toBeGreaterThan(3);
    expect(lounge.listener.heard().unencryptedFrames).toBe(0);
  });
});
