import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { alignedCorrelation } from './measure.ts';
import { expectSameSpeech, soundOf } from './same-speech.ts';
import { openScene, type Scene } from './scene.ts';

const TIMEOUT = { timeoutMs: 20_000 };
const SPOKEN = { ...TIMEOUT, until: ({ text }: { text: string }) => /Spoken in/.test(text) };
const NO_CREDITS = /no credits used/;

describe('speech from the cache', () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene();
  });
  afterAll(() => scene.close());

  afterEach(() => {
    scene.service.faults.billedLatencyMs = 0;
  });

  const billed = () => scene.service.ledger.charges(100).length;
  const clipFiles = () => readdirSync(join(scene.dataDir, 'clips')).map((name) => join(scene.dataDir, 'clips', name));
  let callers = 0;

  /** A new member in the channel: the same request of the same member would count as a double click. */
  function caller() {
    callers += 1;
    const person = scene.world.newMember(`caller${callers}`);
    person.joins('General');
    return person;
  }

  async function say(text: string) {
    const person = caller();
    const sent = await person.types(`/say text:${text}`);
    const reply = await sent.reply(SPOKEN);
    const heard = await person.listener.utterance(TIMEOUT);
    person.leaves();
    return { reply, heard };
  }

  it('is asked for once, sounds the same again, and the second one is told that it cost nothing', async () => {
    const text = 'Say it again, and it costs nothing.';
    const before = billed();
    const first = await say(text);
    expect(first.reply.text).not.toMatch(NO_CREDITS);
    const second = await say(text);

    expect(second.reply.text).toMatch(NO_CREDITS);
    expect(billed() - before).toBe(1);
    expectSameSpeech(first.heard, await scene.said(text));
    expect(alignedCorrelation(soundOf(first.heard), soundOf(second.heard)).correlation).toBeGreaterThan(0.95);
  });

  it('is one request when it is asked for in several servers at once, and each of them hears it', async () => {
    const text = 'Every server hears this at the same time.';
    const before = billed();
    const servers = Array.from({ length: 6 }, (_, i) => {
      const server = scene.world.newServer(`Server ${i}`);
      const member = server.newMember(`visitor${i}`);
      member.joins('General');
      return { server, member };
    });
    const sent = await Promise.all(servers.map(({ member }) => member.types(`/say text:${text}`)));
    const replies = await Promise.all(sent.map((one) => one.reply(SPOKEN)));
    const said = await scene.said(text);
    for (const { member } of servers) expectSameSpeech(await member.listener.utterance(TIMEOUT), said);
    // The last request is the one for the expected sound.
    expect(billed() - before).toBe(2);
    expect(replies.filter((reply) => NO_CREDITS.test(reply.text))).toHaveLength(servers.length - 1);
  });

  it('is kept of a text that was skipped while the service worked on it: the same text again is not billed again', async () => {
    const text = 'Skipped before it was made.';
    const before = billed();
    // Until the /skip is answered.
    scene.service.faults.billedLatencyMs = 60_000;
    const person = caller();
    const sent = await person.types(`/say text:${text}`);
    await expect.poll(billed, { timeout: 20_000 }).toBeGreaterThan(before);
    await (await person.types('/skip')).reply({ ...TIMEOUT, until: /Skipped/ });
    scene.service.faults.billedLatencyMs = 0;
    const skipped = await sent.reply({ ...TIMEOUT, until: ({ ephemeral }) => ephemeral });
    expect(skipped.text).toMatch(/^Skipped: .*\n\d+ credits were used\./s);
    person.leaves();

    expect((await say(text)).reply.text).toMatch(NO_CREDITS);
    expect((await say(text)).reply.text).toMatch(NO_CREDITS);
    expect(billed() - before).toBe(1);
  });

  it('is still there after a restart, in files that only the owner can read', async () => {
    const text = 'This outlives a restart.';
    await say(text);
    const before = billed();
    await scene.restartBot();
    const { reply, heard } = await say(text);
    expect(reply.text).toMatch(NO_CREDITS);
    expect(billed()).toBe(before);
    expectSameSpeech(heard, await scene.said(text));
    expect(statSync(join(scene.dataDir, 'clips')).mode & 0o777).toBe(0o700);
    expect(clipFiles().length).toBeGreaterThan(0);
    for (const file of clipFiles()) expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('is fetched again when the files were damaged, and speaking continues', async () => {
    const text = 'A damaged file is no reason to be silent.';
    await say(text);
    const before = billed();
    await scene.bot.stop();
    for (const file of clipFiles()) writeFileSync(file, 'This is no clip. '.repeat(1_000));
    await scene.restartBot();
    const { heard } = await say(text);
    // From where the service put it a short while ago.
    expect(billed() - before).toBe(0);
    expectSameSpeech(heard, await scene.said(text));
    expect(scene.bot.log.some(({ msg }) => String(msg).includes('Kept speech is damaged'))).toBe(true);
  });
});
