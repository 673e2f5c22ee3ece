import { Buffer } from 'node:buffer';
import { describe, expect, it, vi } from 'vitest';
import { type Clip, PACKET_MS } from '../../../src/audio/clips/clip.ts';
import { PartError, refusal, UserError } from '../../../src/errors/user-errors.ts';
import { charactersOf, longestSoundMs } from '../../../src/services/synthesis/parts.ts';
import { SpeechError } from '../../../src/speech/errors.ts';
import { text } from '../../../src/texts/catalog.ts';
import { speechLike, wav16 } from '../../audio/sounds.ts';
import { asked, by, CREDITS, reservationOf, SOUND, type SpendingDouble, stage } from './synthesis-stage.ts';

/** No two sentences, and so no two parts, are the same. */
const LONG = Array.from({ length: 19 }, (_, i) => `Fox ${100 + i} jumps over the lazy dog, again and again.`).join(' ');
const LIMIT = 250;
const PARTS = 5;
/** The sound of one part of the text, as long as it takes to speak it. */
const SECONDS_A_PART = 8;

const FILE = { ...by('alice'), maxBytes: 1e6 };

type Scene = ReturnType<typeof stage>;

async function started(scene: Scene, onProgress?: () => void) {
  const synthesis = await scene.asks('alice', LONG, onProgress && { onProgress });
  await scene.make(SECONDS_A_PART);
  const clip = await synthesis.clip;
  await vi.waitFor(() => expect(clip.durationMs).toBeGreaterThan(SECONDS_A_PART * 1000));
  return { synthesis, clip };
}

/** So many of its packets have been played. */
function plays(scene: Scene, clip: Clip, packets: number): Promise<void> {
  clip.played?.(packets);
  return scene.settled();
}

describe('a long text', () => {
  it('asks for its first part alone, and for the next one when that starts to play', async () => {
    const scene = stage({ limit: LIMIT });
    const { synthesis, clip } = await started(scene);
    expect(scene.billed).toHaveLength(1);
    expect(scene.inputs()[0]?.length).toBeLessThan(130);
    await plays(scene, clip, 1);
    expect(scene.billed).toHaveLength(2);
    clip.played?.(100);
    await scene.make(SECONDS_A_PART);
    expect(scene.billed).toHaveLength(2);
    expect(synthesis.facts()).toMatchObject({ creditsUsed: 2 * CREDITS });
    expect(clip.state).toBe('growing');
  });

  it('ends where all its parts together have far more sound than its words can take', async () => {
    const scene = stage({ limit: LIMIT });
    const synthesis = await scene.asks('alice', LONG);
    const longestMs = longestSoundMs(asked(LONG));
    await scene.make(longestMs / 1000 + 5);
    const clip = await synthesis.clip;
    await expect(clip.done).rejects.toMatchObject({ name: 'PartError', part: 1, cause: { kind: 'endless' } });
    expect(clip.durationMs).toBeLessThanOrEqual(longestMs);
    expect(clip.durationMs).toBeGreaterThan(longestMs - 500);
    expect(scene.billed).toHaveLength(1);
  });

  it('asks earlier where the part that plays is over before the next one could be made', async () => {
    const scene = stage({ limit: LIMIT });
    const synthesis = await scene.asks('alice', LONG);
    await scene.make(0.5);
    await synthesis.clip;
    // Half a second of sound, and nothing has been played: the second part cannot wait for that.
    await vi.waitFor(() => expect(scene.billed).toHaveLength(2));
  });

  it('stopped in its second part never asks for the fourth, and costs what was made', async () => {
    const scene = stage({ limit: LIMIT });
    const { synthesis, clip } = await started(scene);
    await plays(scene, clip, 1);
    await scene.make(SECONDS_A_PART);
    await plays(scene, clip, (SECONDS_A_PART * 1000) / PACKET_MS + 50);
    expect(scene.billed).toHaveLength(3);
    const cost = synthesis.end();
    await plays(scene, clip, clip.packets.length);
    expect(scene.billed).toHaveLength(3);
    // Sent already: it is billed in any case, and kept.
    expect(scene.billed[2]?.signal.aborted).toBe(false);
    scene.billed[2]?.answer();
    expect(await cost).toEqual({ kind: 'used', credits: 3 * CREDITS, requestId: 'req_3' });
  });

  it('plays what came before a part that fails, then says which one and why', async () => {
    const scene = stage({ limit: LIMIT });
    const { synthesis, clip } = await started(scene);
    await plays(scene, clip, 1);
    const failure = new SpeechError({ kind: 'content-policy', message: 'no', requestId: 'req_refused' });
    scene.billed[1]?.fail(failure);
    await scene.settled();
    expect(clip.state).toBe('failed');
    expect(clip.error).toBeInstanceOf(PartError);
    expect(clip.error).toMatchObject({ part: 2, parts: PARTS, cause: failure });
    expect(clip.packets.length * PACKET_MS).toBeGreaterThanOrEqual(SECONDS_A_PART * 1000);
    await plays(scene, clip, clip.packets.length);
    expect(scene.billed).toHaveLength(2);
    expect(await synthesis.end()).toMatchObject({ kind: 'used', credits: CREDITS, requestId: 'req_1' });
  });

  it('is kept part by part: said again, only what was not made is asked for', async () => {
    const scene = stage({ limit: LIMIT });
    const first = await started(scene);
    await plays(scene, first.clip, 1);
    await scene.make(SECONDS_A_PART);
    await first.synthesis.end();
    await scene.settled();
    const again = scene.synthesizer.render(asked(LONG), by('bob'));
    const clip = await again.clip;
    await plays(scene, clip, 1);
    expect(again.facts().cached).toBe(true);
    await vi.waitFor(() => expect(clip.packets.length * PACKET_MS).toBeGreaterThan(2 * SECONDS_A_PART * 1000));
    await plays(scene, clip, clip.packets.length - 5);
    // The first time it was given up after its second part.
    expect(scene.billed).toHaveLength(3);
    expect(new Set(scene.inputs()).size).toBe(3);
  });

  it('says of each part when it is made and when it is heard', async () => {
    const scene = stage({ limit: LIMIT });
    const onProgress = vi.fn();
    const { clip } = await started(scene, onProgress);
    await plays(scene, clip, 1);
    await scene.make(SECONDS_A_PART);
    clip.played?.((SECONDS_A_PART * 1000) / PACKET_MS + 40);
    expect(onProgress.mock.calls.flat()).toEqual([
      { kind: 'synthesizing', part: 1, parts: PARTS, isBilled: false },
      { kind: 'speaking', part: 1, parts: PARTS, isBilled: true },
      { kind: 'synthesizing', part: 2, parts: PARTS, isBilled: true },
      { kind: 'speaking', part: 2, parts: PARTS, isBilled: true },
      { kind: 'synthesizing', part: 3, parts: PARTS, isBilled: true },
    ]);
  });

  it('the wait for a later part is heard as a gap: from the end of the part before to its first packet', async () => {
    const scene = stage({ limit: LIMIT });
    const synthesis = await scene.asks('alice', LONG);
    await scene.make();
    const clip = await synthesis.clip;
    await vi.waitFor(() => expect(scene.billed.length).toBeGreaterThan(1));
    const ofFirst = clip.packets.length;
    const playedAt = (count: number, ms: number) => {
      const now = vi.spyOn(performance, 'now').mockReturnValue(ms);
      clip.played?.(count);
      now.mockRestore();
    };
    playedAt(1, 1_000);
    playedAt(ofFirst, 2_000);
    await scene.make();
    await vi.waitFor(() => expect(clip.packets.length).toBeGreaterThan(ofFirst));
    expect(scene.partWaitsMs).toEqual([]);
    // 20 ms after the last packet of the first part would have been in time.
    playedAt(ofFirst + 1, 2_055);
    playedAt(ofFirst + 2, 2_075);
    expect(scene.partWaitsMs).toEqual([35]);
    await synthesis.end();
  });
});

describe('a limit on spending', () => {
  /** Allows so many characters, and counts only what is set aside. */
  function limited(left: number) {
    const asked: { characters: number; toFollow: number }[] = [];
    const reserve: SpendingDouble['reserve'] = async ({ characters, toFollow: others }) => {
      const toFollow = charactersOf(others);
      asked.push({ characters, toFollow });
      if (characters + toFollow > left) throw new UserError(text('say.empty'));
      left -= characters;
      return reservationOf(characters);
    };
    return { spending: { reserve }, asked };
  }
  const ALL = LONG.length - (PARTS - 1);

  it('that the whole text would pass refuses it before any of it is paid for', async () => {
    const { spending } = limited(ALL - 1);
    const scene = stage({ limit: LIMIT, spending });
    const heard = scene.synthesizer.render(asked(LONG), by('alice'));
    await expect(heard.clip).rejects.toBeInstanceOf(UserError);
    expect(await heard.end()).toEqual({ kind: 'none' });
    await expect(scene.synthesizer.file(asked(LONG), FILE)).rejects.toMatchObject({
      cause: { name: 'UserError' },
      cost: { kind: 'none' },
    });
    expect(scene.billed).toHaveLength(0);
  });

  it('that it just keeps lets it through, part by part', async () => {
    const { spending, asked: questions } = limited(ALL);
    const scene = stage({ limit: LIMIT, spending, isAutomatic: true });
    const file = await scene.synthesizer.file(asked(LONG), FILE);
    expect(file.facts).toMatchObject({
      creditsUsed: PARTS * CREDITS,
      creditsRemaining: 1000 - PARTS * CREDITS,
      requestId: `req_${PARTS}`,
      cached: false,
    });
    expect(scene.inputs().join(' ')).toBe(LONG);
    // The parts of a text are made equally loud.
    expect(new Set(scene.fetched.map(({ options }) => options.utterance)).size).toBe(1);
    expect(questions.reduce((sum, { characters }) => sum + characters, 0)).toBe(ALL);
    expect(questions[0]?.toFollow).toBe(ALL - (questions[0]?.characters ?? 0));
    expect(questions.at(-1)?.toFollow).toBe(0);
  });
});

describe('a text as a file', () => {
  it.each(['file', 'voiceMessage'] as const)('(%s) says what it cost when it is called off', async (kind) => {
    const scene = stage();
    const ending = new AbortController();
    const made = scene.synthesizer[kind](asked('Hello'), { ...FILE, signal: ending.signal });
    const rejected = made.catch((error: unknown) => error);
    await scene.settled();
    await scene.pays();
    const why = new UserError(refusal('member-muted'));
    ending.abort(why);
    expect(await rejected).toMatchObject({ cost: { kind: 'used', credits: CREDITS }, cause: why });
  });

  /** By the last page of an Ogg file, which counts samples at 48 kHz. */
  function durationMsOf(bytes: Uint8Array): number {
    const ogg = Buffer.from(bytes);
    return Number(ogg.readBigInt64LE(ogg.lastIndexOf('OggS') + 6)) / 48;
  }
  const wav = wav16(speechLike(24_000, 0.1), 24_000);

  it('has the format that was asked for; of a free voice, WAV where none was, as what is spoken', async () => {
    const scene = stage({ isAutomatic: true, file: wav, isFree: true });
    const voice = { kind: 'id', voiceId: 'v', model: 'ext' } as const;
    await (await scene.synthesizer.render(asked('Hello', { voice }), by('alice')).clip).done;
    await scene.settled();
    const heard = await scene.synthesizer.file(asked('Hello', { voice }), FILE);
    expect(heard).toMatchObject({ extension: 'wav', facts: { cached: true } });
    await scene.synthesizer.file(asked('Hello', { voice, responseFormat: 'wav' }), FILE);
    await scene.synthesizer.file(asked('Hello', { voice, responseFormat: 'mp3' }), FILE);
    // A voice without WAV.
    await scene.synthesizer.file(asked('Hello'), FILE);
    expect(scene.billed.map(({ request }) => request.responseFormat)).toEqual(['wav', 'mp3', undefined]);

    const paid = stage({ isAutomatic: true, file: wav });
    await paid.synthesizer.file(asked('Hello', { voice }), FILE);
    expect(paid.billed[0]?.request.responseFormat).toBeUndefined();
  });

  it('is the service’s own also where another voice spoke in the place of the one that was asked for', async () => {
    const scene = stage({ file: wav });
    const made = scene.synthesizer.file(asked('Hello'), FILE);
    await scene.settled();
    await scene.pays({ spokenBy: 'other' });
    await scene.arrives();
    expect(await made).toMatchObject({ extension: 'wav', facts: { speakers: [{ asked: 'v', heard: 'other' }] } });
  });

  it('is Ogg Opus where the service no longer has it, and where it came in parts', async () => {
    const scene = stage({ isAutomatic: true, file: Buffer.alloc(100, 1), limit: LIMIT });
    const gone = await scene.synthesizer.file(asked('Hello'), FILE);
    expect(gone).toMatchObject({ extension: 'ogg', facts: { creditsUsed: CREDITS } });
    const long = await scene.synthesizer.file(asked(LONG), FILE);
    expect(long.facts).toMatchObject({ creditsUsed: PARTS * CREDITS });
    expect(durationMsOf(long.bytes)).toBeGreaterThan(PARTS * SOUND.length * PACKET_MS);
  });

  it('is made of what was heard before, where it would otherwise be cut in other pieces', async () => {
    const scene = stage({ isAutomatic: true, limit: 1200 });
    const styled = asked(LONG, { voice: { kind: 'id', voiceId: 'v', model: 'gpro' }, style: 'x'.repeat(100) });
    expect(charactersOf(scene.synthesizer.billedTexts(styled, 'file'))).toBeLessThan(
      charactersOf(scene.synthesizer.billedTexts(styled, 'listener')),
    );
    const heard = scene.synthesizer.render(styled, by('alice'));
    const clip = await heard.clip;
    clip.waitFor(1e9).catch(() => undefined);
    await vi.waitFor(() => expect(clip.state).toBe('complete'));
    const billed = scene.billed.length;
    expect((await scene.synthesizer.file(styled, FILE)).facts).toMatchObject({ cached: true });
    expect(scene.billed).toHaveLength(billed);
  });

  it('is made of the sound that was heard, for nothing, where nothing is kept', async () => {
    const scene = stage({ isAutomatic: true, memoryBytes: 0, file: Buffer.alloc(100, 1) });
    const heard = await scene.synthesizer.render(asked('Hello'), by('alice')).clip;
    await heard.done;
    await scene.settled();
    const file = await scene.synthesizer.file(asked('Hello'), { ...by('bob'), maxBytes: 1e6, heard });
    expect(file).toMatchObject({ extension: 'ogg', facts: { cached: true, creditsUsed: 0 } });
    expect(durationMsOf(file.bytes)).toBe(SOUND.length * PACKET_MS);
    expect([scene.billed.length, scene.fetched.length]).toEqual([1, 1]);
  });
});
