import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { alignedCorrelation } from './measure.ts';
import { expectSameSpeech, soundOf } from './same-speech.ts';
import { newGuest, openScene, type Scene } from './scene.ts';

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
  const caller = () => newGuest(scene.world, 'General');

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
});
