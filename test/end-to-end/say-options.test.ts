import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { speechSpan } from './measure.ts';
import { expectSameSpeech, soundOf } from './same-speech.ts';
import { openScene, type Scene } from './scene.ts';

const ANSWERED = { timeoutMs: 15_000 };

describe('the options of /say', () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene();
    scene.world.member('alice').joins('General');
  });
  afterAll(() => scene.close());

  const alice = () => scene.world.member('alice');
  let callers = 0;

  /** A new member each time: one member may use /say five times in ten seconds, which these tests together exceed. */
  function caller() {
    callers += 1;
    const person = scene.world.newMember(`caller${callers}`);
    person.joins('General');
    return person;
  }

  async function voiceOf(model: string) {
    const [choice] = await alice().autocompletes('say', { voice: model }, { filled: { text: 'x' } });
    return { id: String(choice?.value), label: choice?.name.split(' · ')[0] ?? '' };
  }

  async function say(options: Readonly<Record<string, string | number>>) {
    const person = caller();
    const reply = await (await person.command('say', options)).reply(ANSWERED);
    const heard = await person.listener.utterance(ANSWERED);
    person.leaves();
    return { reply, heard };
  }

  it('speed is heard with a voice that takes it', async () => {
    const ext = await voiceOf('ext');
    const text = 'Slowly or quickly, the words of this sentence stay what they are.';
    const normal = speechSpan(await scene.said(text, ext.id)).seconds;
    const fast = await say({ text, voice: ext.id, speed: 1.5 });
    const slow = await say({ text, voice: ext.id, speed: 0.7 });
    expect(speechSpan(soundOf(fast.heard)).seconds).toBeLessThan(normal * 0.8);
    expect(speechSpan(soundOf(slow.heard)).seconds).toBeGreaterThan(normal * 1.2);
    expect(fast.reply.text).not.toContain('ignores');
  });

  it('a parameter that the voice ignores is left out, the reply says so, and the speech is the same', async () => {
    const gpro = await voiceOf('gpro31');
    const text = 'The speed of this one cannot be changed.';
    const { reply, heard } = await say({ text, voice: gpro.id, speed: 1.5 });
    expect(reply.text.split('\n')[1]).toBe(`-# ${gpro.label} ignores speed.`);
    expectSameSpeech(heard, await scene.said(text, gpro.id));
  });

  it('style, temperature and seed go with a voice that takes them', async () => {
    const gpro = await voiceOf('gpro31');
    const { reply, heard } = await say({
      text: 'All at once.',
      voice: gpro.id,
      style: 'calm',
      temperature: 1,
      seed: 7,
    });
    expect(reply.text).toContain('Spoken in');
    expect(reply.text).not.toContain('ignores');
    expect(heard.seconds).toBeGreaterThan(0.3);
  });
});
