import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { expectSameSpeech, newGuest, startScene } from './scene.ts';

it('speech is bought once, sounds the same again, costs nothing after a restart either, and is for the bot’s user alone', async () => {
  const scene = await startScene();
  const text = 'Say it again, and it costs nothing.';
  const costs = async () => {
    const person = newGuest(scene.world, 'General');
    const sent = await person.types(`/say text:${text}`);
    const reply = await sent.reply({ until: /Spoken in/ });
    expectSameSpeech(await person.listener.utterance(), await scene.said(text));
    person.leaves();
    return !reply.text.includes('no credits used');
  };
  expect([await costs(), await costs()]).toEqual([true, false]);
  await scene.restartBot();
  expect(await costs()).toBe(false);
  // Once by the bot, and once by each comparison.
  expect(scene.service.ledger.charges(100)).toHaveLength(4);

  expect(readdirSync(join(scene.dataDir, 'clips'))).not.toEqual([]);
  const kept = readdirSync(scene.dataDir, { recursive: true, withFileTypes: true });
  for (const path of [scene.dataDir, ...kept.map(({ parentPath, name }) => join(parentPath, name))]) {
    expect(statSync(path).mode & 0o077, path).toBe(0);
  }
});
