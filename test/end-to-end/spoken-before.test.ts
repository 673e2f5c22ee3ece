import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { expectSameSpeech, newGuest, startScene } from './scene.ts';

const NO_CREDITS = /no credits used/;

it('speech is bought once, sounds the same again, costs nothing after a restart either, and is for the bot’s user alone', async () => {
  const scene = await startScene();
  const text = 'Say it again, and it costs nothing.';
  const say = async () => {
    const person = newGuest(scene.world, 'General');
    const sent = await person.types(`/say text:${text}`);
    const reply = await sent.reply({ until: /Spoken in/ });
    expectSameSpeech(await person.listener.utterance(), await scene.said(text));
    person.leaves();
    return reply.text;
  };
  expect(await say()).not.toMatch(NO_CREDITS);
  expect(await say()).toMatch(NO_CREDITS);
  await scene.restartBot();
  expect(await say()).toMatch(NO_CREDITS);
  // Once by the bot, and once by each comparison.
  expect(scene.service.ledger.charges(100)).toHaveLength(4);

  expect(readdirSync(join(scene.dataDir, 'clips'))).not.toEqual([]);
  const kept = readdirSync(scene.dataDir, { recursive: true, withFileTypes: true });
  for (const path of [scene.dataDir, ...kept.map(({ parentPath, name }) => join(parentPath, name))]) {
    expect(statSync(path).mode & 0o077, path).toBe(0);
  }
});
