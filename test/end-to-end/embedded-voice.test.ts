import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { BotProcess } from '../../src/playground/demo/bot/bot-process.ts';
import { inVoice, startScene, textOf } from './scene.ts';

/** The process of the built-in voice, the only child the bot has. */
function voiceProcess({ pid }: BotProcess): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number);
  expect(children).toHaveLength(1);
  return children[0] ?? Number.NaN;
}

describe('with nothing configured', () => {
  it('the bot speaks with its own built-in voice, says so, and survives the death of the voice’s process', async () => {
    const { world, bot } = await startScene({ asProcess: true, env: { VOICE_API_URL: '', VOICE_API_KEY: '' } });
    const alice = inVoice(world);

    const sent = await alice.types('/say text:No key.');
    const said = await sent.reply();
    const spoken = said.text;
    expect(spoken).toContain('Spoken in');
    expect(spoken).not.toMatch(/credit|free/i);
    expect((await alice.listener.utterance()).endToEndEncrypted).toBe(true);
    const saved = await (await alice.presses(said, 'Save as file')).reply();
    expect(saved.files[0]).toMatchObject({ name: 'speech.wav' });
    expect(await textOf(alice.types('/credits'))).toContain('The voice is free');
    expect(bot.log.filter((line) => /Using the built-in voice/.test(line.msg ?? '')).length).toBe(1);

    const list = await (await alice.types('/voices search:orpheus')).reply();
    const heard = await alice.presses(list, 'Listen to these in a row');
    expect(await textOf(heard, /That was/)).toMatch(/ivy.*jasper.*rowan.*wren/);
    const sample = heard.replies.find(({ voiceMessage }) => voiceMessage);
    expect(sample?.files[0]?.durationSeconds).toBeGreaterThan(3);

    const first = voiceProcess(bot);
    process.kill(first, 'SIGKILL');
    await bot.logged((line) => /Restarted the built-in speech service/i.test(line.msg ?? ''));
    const again = await alice.types('/say text:Back.');
    expect(await textOf(again)).toContain('Spoken in');
    const second = voiceProcess(bot);
    expect(second).not.toBe(first);

    await bot.stop();
    expect(() => process.kill(second, 0)).toThrow('ESRCH');
  });
});
