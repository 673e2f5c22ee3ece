import { beforeEach, describe, expect, test } from 'vitest';
import { clipFromPackets, createClip, SILENCE_PACKET } from '../../../src/audio/clips/clip.ts';
import { type ClipPlayer, createClipPlayer, type Gate } from '../../../src/audio/playing/clip-player.ts';
import type { PacketClock, Ticking } from '../../../src/audio/playing/clock.ts';

/** A clock that ticks when told to. */
function stepClock() {
  let now = 1_000;
  let lastMs = Number.NEGATIVE_INFINITY;
  let ticking: Ticking | undefined;
  let isRunning = false;
  function turn(lateMs = 0): void {
    if (!isRunning || !ticking) return;
    lastMs = now;
    try {
      isRunning = ticking.tick(now, lateMs);
    } catch (error) {
      isRunning = false;
      ticking.failed(error);
    }
  }
  const clock: PacketClock = {
    size: 1,
    add(added) {
      ticking = added;
      return {
        start() {
          if (isRunning) return;
          isRunning = true;
          if (now - lastMs >= 20) turn();
        },
        stop() {
          isRunning = false;
        },
      };
    },
  };
  return {
    clock,
    isRunning: () => isRunning,
    step(count = 1, lateMs = 0) {
      for (let i = 0; i < count; i++) {
        now += 20;
        turn(lateMs);
      }
    },
  };
}

let steps: ReturnType<typeof stepClock>;
let sent: string[];
let gate: Gate;
let isUp: boolean;
let throws: number;
let speaking: boolean[];
let failures: Error[];
let isInDoubt: boolean;
let asked: number;
let speaker: ClipPlayer;

beforeEach(() => {
  steps = stepClock();
  sent = [];
  gate = 'encrypted';
  isUp = true;
  throws = 0;
  speaking = [];
  failures = [];
  isInDoubt = false;
  asked = 0;
  speaker = createClipPlayer(
    steps.clock,
    {
      send(packet) {
        if (throws > 0) {
          throws -= 1;
          throw new Error('encryption failed');
        }
        if (!isUp) return false;
        sent.push(packet.equals(SILENCE_PACKET) ? '_' : packet.toString());
        return true;
      },
      gate: () => gate,
      setSpeaking: (value) => speaking.push(value),
      isInDoubt: () => isInDoubt,
      ask() {
        asked += 1;
      },
    },
    (error) => failures.push(error),
  );
});

const clip = (text: string) => clipFromPackets([...text].map((letter) => Buffer.from(letter)));
/** Lets promises settle. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('a speaker', () => {
  test('sends the first packet at once, one each turn, and five frames of silence when nothing follows', async () => {
    const playing = speaker.play(clip('abc'));
    expect(sent.join('')).toBe('a');
    steps.step(20);
    expect(sent.join('')).toBe('abc_____');
    expect(steps.isRunning()).toBe(false);
    expect(speaking).toEqual([false]);
    expect(await playing).toEqual({
      outcome: 'finished',
      packetsSent: 3,
      firstPacketAtMs: 1_000,
      lateCount: 0,
      skippedCount: 0,
      encrypted: true,
    });
  });

  test("says when a clip's packets begin to leave: the first one, and the first one after they were held", () => {
    gate = 'hold';
    let times = 0;
    const onFlowing = () => {
      times += 1;
    };
    void speaker.play(clip('abcdef'), { onFlowing });
    steps.step(5);
    expect(times).toBe(0);
    gate = 'encrypted';
    steps.step(3);
    expect(times).toBe(1);
    gate = 'hold';
    steps.step(2);
    gate = 'encrypted';
    steps.step(5);
    expect(times).toBe(2);
  });

  test('goes on with a clip from the packet where it was left', async () => {
    const growing = createClip();
    const playing = speaker.play(growing.clip, { fromPacket: 2 });
    for (const letter of 'abcd') growing.push(Buffer.from(letter));
    growing.complete();
    await settle();
    steps.step(20);
    expect(sent.join('')).toBe('cd_____');
    expect(await playing).toMatchObject({ outcome: 'finished', packetsSent: 2, lateCount: 0, encrypted: true });
    expect(await speaker.play(clip('ab'), { fromPacket: 5 })).toMatchObject({ outcome: 'finished', packetsSent: 0 });
  });

  test('goes back by the packets that were not heard, never before the first of the clip', async () => {
    const playing = speaker.play(clip('abcdef'), { fromPacket: 1 });
    steps.step(2);
    expect(sent.join('')).toBe('bcd');
    speaker.goBack(2);
    steps.step(2);
    speaker.goBack(99);
    steps.step(20);
    expect(sent.join('')).toBe('bcdcdbcdef_____');
    expect(await playing).toMatchObject({ outcome: 'finished', packetsSent: 5 });
    speaker.goBack(3);
    expect(steps.isRunning()).toBe(false);
  });

  test('a clip whose last packets may not have arrived ends when that is known, and its silence goes out meanwhile', async () => {
    isInDoubt = true;
    let isOver = false;
    const playing = speaker.play(clip('abc')).finally(() => {
      isOver = true;
    });
    steps.step(20);
    await settle();
    expect([sent.join(''), isOver, asked, speaking]).toEqual(['abc_____', false, 13, []]);
    isInDoubt = false;
    steps.step();
    expect(await playing).toMatchObject({ outcome: 'finished', packetsSent: 3 });
    expect([steps.isRunning(), speaking]).toEqual([false, [false]]);
  });

  test('a clip whose last packets did not arrive goes back by them', async () => {
    isInDoubt = true;
    const playing = speaker.play(clip('abcd'));
    steps.step(10);
    isInDoubt = false;
    speaker.goBack(2);
    steps.step(20);
    expect(sent.join('')).toBe('abcd_____cd_____');
    expect(await playing).toMatchObject({ outcome: 'finished' });
  });

  test('a clip in doubt can be stopped', async () => {
    isInDoubt = true;
    const skip = new AbortController();
    const playing = speaker.play(clip('ab'), { signal: skip.signal });
    steps.step(10);
    skip.abort();
    expect(await playing).toMatchObject({ outcome: 'stopped' });
    steps.step(2);
    expect([steps.isRunning(), speaking.at(-1)]).toEqual([false, false]);
  });

  test('plays waiting clips one after the other without silence between', async () => {
    const [first, second] = [speaker.play(clip('ab')), speaker.play(clip('cd'))];
    steps.step(20);
    expect(sent.join('')).toBe('abcd_____');
    expect([await first, await second]).toMatchObject([
      { outcome: 'finished' },
      { outcome: 'finished', firstPacketAtMs: 1_040 },
    ]);
  });

  test('settles with the last packet, so that the next clip can follow in the next turn', async () => {
    const first = speaker.play(clip('ab'));
    steps.step();
    await first;
    void speaker.play(clip('c'));
    steps.step(20);
    expect(sent.join('')).toBe('abc_____');
  });

  test('breaks the closing silence off for a new clip', () => {
    void speaker.play(clip('a'));
    steps.step(2);
    void speaker.play(clip('b'));
    steps.step(20);
    expect(sent.join('')).toBe('a__b_____');
  });

  test('starts a growing clip with its first packet, to the moment', async () => {
    const writer = createClip();
    const playing = speaker.play(writer.clip);
    expect(sent).toEqual([]);
    expect(steps.isRunning()).toBe(false);
    writer.push(Buffer.from('a'));
    await settle();
    expect(sent).toEqual(['a']);
    writer.complete();
    steps.step(10);
    expect(await playing).toMatchObject({ outcome: 'finished', packetsSent: 1 });
  });

  test('a starving clip is not over (the library ends it after 100 ms): silence, then it goes on, late packets counted', async () => {
    const writer = createClip();
    writer.push(Buffer.from('a'));
    const playing = speaker.play(writer.clip);
    steps.step(20);
    expect(sent.join('')).toBe('a_____');
    writer.push(Buffer.from('b'));
    await settle();
    expect(sent.join('')).toBe('a_____b');
    writer.push(Buffer.from('c'));
    writer.complete();
    steps.step(20);
    expect(sent.join('')).toBe('a_____bc_____');
    // Not off and on at each gap: once, at its end.
    expect(speaking).toEqual([false]);
    expect(await playing).toMatchObject({ outcome: 'finished', packetsSent: 3, lateCount: 19, skippedCount: 19 });
  });

  test('a clip that fails while it starves stops speaking at once', async () => {
    const writer = createClip();
    writer.push(Buffer.from('a'));
    const playing = speaker.play(writer.clip);
    steps.step(20);
    expect(speaking).toEqual([]);
    writer.fail(new Error('gone'));
    expect(await playing).toMatchObject({ outcome: 'truncated' });
    steps.step(20);
    expect(speaking).toEqual([false]);
    expect(sent.join('')).toBe('a_____');
  });

  test('a clip that fails on the way is played as far as it is good, and says why it is truncated', async () => {
    const writer = createClip();
    writer.push(Buffer.from('a'));
    writer.push(Buffer.from('b'));
    const playing = speaker.play(writer.clip);
    writer.fail(new Error('cut off'));
    steps.step(20);
    expect(sent.join('')).toBe('ab_____');
    expect(await playing).toMatchObject({ outcome: 'truncated', packetsSent: 2, error: new Error('cut off') });
  });

  test('clips that fail or end before their first packet do not keep the next one waiting', async () => {
    const failing = createClip();
    const [first, second] = [speaker.play(failing.clip), speaker.play(clip('x'))];
    failing.fail(new Error('404'));
    await settle();
    steps.step();
    expect(sent).toEqual(['x']);
    expect(await first).toMatchObject({ outcome: 'truncated', packetsSent: 0 });
    expect((await first).firstPacketAtMs).toBeUndefined();
    expect(await second).toMatchObject({ outcome: 'finished' });
    expect(await speaker.play(clipFromPackets([]))).toMatchObject({
      outcome: 'finished',
      packetsSent: 0,
      encrypted: false,
    });
  });

  test('stops within a frame when told to, and no frame of it opens the next clip', async () => {
    const controller = new AbortController();
    const first = speaker.play(clip('abcdef'), { signal: controller.signal });
    steps.step(2);
    controller.abort();
    expect(await first).toMatchObject({ outcome: 'stopped', packetsSent: 3 });
    void speaker.play(clip('xy'));
    steps.step(20);
    expect(sent.join('')).toBe('abcxy_____');
  });

  test('stopping a waiting clip leaves the playing one alone', async () => {
    const controller = new AbortController();
    const first = speaker.play(clip('abc'));
    const second = speaker.play(clip('xyz'), { signal: controller.signal });
    controller.abort();
    expect(await second).toMatchObject({ outcome: 'stopped', packetsSent: 0 });
    steps.step(20);
    expect(sent.join('')).toBe('abc_____');
    expect(await first).toMatchObject({ outcome: 'finished' });
    expect(await speaker.play(clip('x'), { signal: AbortSignal.abort() })).toMatchObject({ outcome: 'stopped' });
  });

  test('sends the lead-in at once, then the clip, whenever it came', () => {
    speaker.leadIn(3);
    steps.step();
    void speaker.play(clip('ab'));
    steps.step(20);
    expect(sent.join('')).toBe('___ab_____');
  });

  test('a lead-in without a clip ends by itself', () => {
    speaker.leadIn(3);
    steps.step(10);
    expect(sent.join('')).toBe('___');
    expect(speaking).toEqual([false]);
    expect(steps.isRunning()).toBe(false);
    void speaker.play(clip('a'));
    expect(sent.join('')).toBe('___a');
  });

  test('holds the first audible packet until the gate opens, the lead-in runs meanwhile', async () => {
    gate = 'hold';
    speaker.leadIn(2);
    const playing = speaker.play(clip('ab'));
    steps.step(50);
    expect(sent.join('')).toBe('__');
    gate = 'encrypted';
    steps.step(20);
    expect(sent.join('')).toBe('__ab_____');
    expect(await playing).toMatchObject({ outcome: 'finished', encrypted: true });
  });

  test('holds in the middle when the gate closes again, and loses nothing', async () => {
    const playing = speaker.play(clip('abcd'));
    steps.step();
    gate = 'hold';
    steps.step(10);
    gate = 'encrypted';
    steps.step(20);
    expect(sent.join('')).toBe('ab_____cd_____');
    expect(await playing).toMatchObject({ outcome: 'finished', packetsSent: 4, lateCount: 10 });
  });

  test('paused, it ends the spurt with five frames of silence and rests; resumed, it goes on with the very next packet', async () => {
    const playing = speaker.play(clip('abcd'));
    steps.step();
    speaker.pause();
    steps.step(50);
    expect(sent.join('')).toBe('ab_____');
    expect(steps.isRunning()).toBe(false);
    expect(speaking).toEqual([false]);
    speaker.resume();
    expect(sent.join('')).toBe('ab_____c');
    steps.step(20);
    expect(sent.join('')).toBe('ab_____cd_____');
    expect(await playing).toMatchObject({ outcome: 'finished', packetsSent: 4, lateCount: 0 });
  });

  test('paused for less than the closing silence, it goes on in its rhythm', async () => {
    const playing = speaker.play(clip('abc'));
    speaker.pause();
    steps.step(2);
    speaker.resume();
    steps.step(20);
    expect(sent.join('')).toBe('a__bc_____');
    expect(await playing).toMatchObject({ outcome: 'finished', lateCount: 0 });
  });

  test('what comes during a pause waits for its end, a growing clip too', async () => {
    speaker.pause();
    const writer = createClip();
    const [first, second] = [speaker.play(writer.clip), speaker.play(clip('xy'))];
    writer.push(Buffer.from('a'));
    await settle();
    steps.step(10);
    expect(sent).toEqual([]);
    expect(steps.isRunning()).toBe(false);
    speaker.resume();
    writer.push(Buffer.from('b'));
    writer.complete();
    await settle();
    steps.step(20);
    expect(sent.join('')).toBe('abxy_____');
    expect([await first, await second]).toMatchObject([{ outcome: 'finished' }, { outcome: 'finished' }]);
  });

  test('stopped during a pause, the next clip still waits for its end', async () => {
    const controller = new AbortController();
    const first = speaker.play(clip('abc'), { signal: controller.signal });
    speaker.pause();
    controller.abort();
    expect(await first).toMatchObject({ outcome: 'stopped', packetsSent: 1 });
    void speaker.play(clip('x'));
    steps.step(20);
    expect(sent.join('')).toBe('a_____');
    speaker.resume();
    steps.step(20);
    expect(sent.join('')).toBe('a_____x_____');
  });

  test('connected anew during a pause, it rests, and sends the lead-in when it goes on: a stage has given the floor', () => {
    void speaker.play(clip('abc'));
    speaker.pause();
    steps.step(10);
    speaker.leadIn(3);
    steps.step(10);
    expect(sent.join('')).toBe('a_____');
    expect(steps.isRunning()).toBe(false);
    expect(speaking).toEqual([false]);
    speaker.resume();
    steps.step(20);
    expect(sent.join('')).toBe('a________bc_____');
  });

  test('paused in the lead-in, it sends the rest of it when it goes on', () => {
    void speaker.play(clip('ab'));
    steps.step(20);
    speaker.leadIn(3);
    steps.step();
    speaker.pause();
    steps.step(10);
    expect(sent.join('')).toBe('ab_______');
    expect(steps.isRunning()).toBe(false);
    expect(speaking).toEqual([false, false]);
    void speaker.play(clip('c'));
    speaker.resume();
    steps.step(20);
    expect(sent.join('')).toBe('ab________c_____');
  });

  test('says so when a packet went out without end-to-end encryption', async () => {
    gate = 'clear';
    const playing = speaker.play(clip('a'));
    expect(await playing).toMatchObject({ encrypted: false });
  });

  test('waits while the connection takes nothing, and goes on where it stopped when woken', async () => {
    const playing = speaker.play(clip('abcd'));
    steps.step();
    isUp = false;
    steps.step(25);
    expect(steps.isRunning()).toBe(false);
    isUp = true;
    speaker.leadIn(2);
    steps.step(20);
    expect(sent.join('')).toBe('ab__cd_____');
    expect(await playing).toMatchObject({ outcome: 'finished', packetsSent: 4 });
  });

  test('a packet whose sending throws is sent again in the next turn', async () => {
    const playing = speaker.play(clip('abc'));
    throws = 3;
    steps.step(20);
    expect(sent.join('')).toBe('abc_____');
    expect(await playing).toMatchObject({ outcome: 'finished', packetsSent: 3, lateCount: 3 });
    expect(failures).toEqual([]);
  });

  test('sending that throws for a second ends everything and says so', async () => {
    throws = 1_000;
    const [first, second] = [speaker.play(clip('a')), speaker.play(clip('b'))];
    steps.step(60);
    expect(failures).toHaveLength(1);
    expect(await first).toMatchObject({ outcome: 'truncated', packetsSent: 0, error: new Error('encryption failed') });
    expect(await second).toMatchObject({ outcome: 'truncated' });
  });

  test('counts packets that leave more than 10 ms after their time', async () => {
    const playing = speaker.play(clip('abcd'));
    steps.step(1, 9);
    steps.step(1, 12);
    steps.step();
    expect(await playing).toMatchObject({ lateCount: 1, skippedCount: 0 });
  });

  test('closing settles everything and sends nothing more', async () => {
    const [first, second] = [speaker.play(clip('abc')), speaker.play(clip('x'))];
    speaker.close('stopped');
    steps.step(10);
    speaker.wake();
    expect(sent.join('')).toBe('a');
    expect([await first, await second]).toMatchObject([{ outcome: 'stopped', packetsSent: 1 }, { outcome: 'stopped' }]);
    expect(await speaker.play(clip('z'))).toMatchObject({ outcome: 'stopped', packetsSent: 0 });
  });
});
