import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectSameSpeech } from './same-speech.ts';
import { openScene, type Scene } from './scene.ts';

const ANSWERED = { timeoutMs: 15_000 };

let scene: Scene;
beforeAll(async () => {
  scene = await openScene();
});
afterAll(() => scene.close());

describe('voices and settings', () => {
  it('the server’s default voice is used by /say, and outlives a restart', async () => {
    const server = scene.world.newServer('Next door');
    const olga = server.member('olga');
    const [chosen] = await olga.autocompletes('say', { voice: 'orpheus' }, { filled: { text: 'x' } });
    const customId = `voice-default:${chosen?.value}`;
    const reply = await (await olga.forges({ customId })).reply(ANSWERED);
    expect(reply.text).toMatch(/Default voice: now .+orpheus/);

    const alice = server.member('alice');
    alice.joins('General');
    const said = await (await alice.types('/say text:With the voice of the server.')).reply(ANSWERED);
    expect(said.text).toContain('orpheus');
    expect((await alice.listener.utterance({ timeoutMs: 5_000 })).endToEndEncrypted).toBe(true);

    await scene.restartBot();
    const now = await (await olga.forges({ customId })).reply(ANSWERED);
    expect(now.text).toBe('Nothing changed.');
  });

  it('MP3 voices are heard as well as WAV ones', async () => {
    const alice = scene.world.newServer('Next door').member('alice');
    alice.joins('General');
    const [choice] = await alice.autocompletes('say', { voice: 'ext' }, { filled: { text: 'x' } });
    const sent = await alice.command('say', { text: 'This comes as an MP3 file.', voice: String(choice?.value) });
    expect((await sent.reply(ANSWERED)).text).toContain(String(choice?.name));
    const heard = await alice.listener.utterance({ timeoutMs: 5_000 });
    expect(heard.endToEndEncrypted).toBe(true);
    expectSameSpeech(heard, await scene.said('This comes as an MP3 file.', String(choice?.value)));
  });
});

describe('without speaking', () => {
  it('the bot’s data is readable by its own user alone', async () => {
    const { dataDir } = scene;
    expect(statSync(dataDir).mode & 0o077).toBe(0);
    const kept = readdirSync(dataDir, { recursive: true, withFileTypes: true });
    expect(kept).not.toEqual([]);
    for (const file of kept) {
      expect(statSync(join(file.parentPath, file.name)).mode & 0o077).toBe(0);
    }
  });
});
