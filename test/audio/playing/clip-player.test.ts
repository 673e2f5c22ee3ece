import { beforeEach, describe, expect, test, vi } from 'vitest';
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
    elapse(ms: number) {
      now += ms;
    },
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
      warm: () => 0,
      stopSpeaking: () => speaking.push(false),
      isInDoubt: () => isInDoubt,
      ask() {
        asked += 1;
      },
    },
    (error) => failures.push(error),
  );
});

const clip = (text: string) => clipFromPackets([...text].map((letter) => Buffer.from(letter)));
/** Everything that was sent once twenty more turns have passed. */
function all(): string {
  steps.step(20);
  return sent.join('');
}
/** Lets promises settle. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('a speaker', () => {
  test('sends the first packet at once, one each turn, and five frames of silence when nothing follows', async () => {
    const playing = speaker.play(clip('abc'));
    expect(sent.join('')).toBe('a');
    expect(all()).toBe('abc_____');
    expect(steps.isRunning()).toBe(false);
    expect(speaking).toEqual([false]);
    const counts = { packetsSent: 3, lateCount: 0, skippedCount: 0 };
    expect(await playing).toEqual({ outcome: 'finished', ...counts, firstPacketAtMs: 1_000, encrypted: true });
  });

  test("says when a clip's packets begin to leave: the first one, and the first one after they were held", () => {
    gate = 'hold';
    const onFlowing = vi.fn();
    void speaker.play(clip('abcdef'), { signal: new AbortController().signal, onFlowing });
    steps.step(5);
    expect(onFlowing).not.toHaveBeenCalled();
    gate = 'encrypted';
    steps.step(3);
    expect(onFlowing).toHaveBeenCalledTimes(1);
    gate = 'hold';
    steps.step(2);
    gate = 'encrypted';
    steps.step(5);
    expect(onFlowing).toHaveBeenCalledTimes(2);
  });

  test('goes back by the packets that were not heard, never before the first of the clip', async () => {
    const playing = speaker.play(clip('bcdef'));
    steps.step(2);
    expect(sent.join('')).toBe('bcd');
    speaker.goBack(2);
    steps.step(2);
    speaker.goBack(99);
    expect(all()).toBe('bcdcdbcdef_____');
    expect(await playing).toMatchObject({ outcome: 'finished', packetsSent: 5 });
    speaker.goBack(3);
    expect(steps.isRunning()).toBe(false);
  });

  test('a clip whose last packets may not have arrived ends when that is known, and its silence goes out meanwhile', async () => {
    isInDoubt = true;
    const onOver = vi.fn();
    const playing = speaker.play(clip('abc')).finally(onOver);
    steps.step(20);
    await settle();
    expect(onOver).not.toHaveBeenCalled();
    expect([sent.join(''), asked, speaking]).toEqual(['abc_____', 13, []]);
    isInDoubt = false;
    steps.step();
    expect(await playing).toMatchObject({ outcome: 'finished', packetsSent: 3 });
    expect([steps.isRunning(), speaking]).toEqual([false, [false]]);
  });

  // The library ends it after 100 ms.
  test('a growing clip starts with its first packet, and is not over when it starves: silence, then it goes on', async () => {
    const writer = createClip();
    const playing = speaker.play(writer.clip);
    expect([sent, steps.isRunning()]).toEqual([[], false]);
    writer.push(Buffer.from('a'));
    await settle();
    expect(sent).toEqual(['a']);
    expect(all()).toBe('a_____');
    writer.push(Buffer.from('b'));
    await settle();
    expect(sent.join('')).toBe('a_____b');
    writer.push(Buffer.from('c'));
    writer.complete();
    expect(all()).toBe('a_____bc_____');
    // Not off and on at each gap: once, at its end.
    expect(speaking).toEqual([false]);
    expect(await playing).toMatchObject({ outcome: 'finished', packetsSent: 3, lateCount: 19, skippedCount: 19 });
  });

  test('a clip that fails is played as far as it is good, says why, and stops speaking at once', async () => {
    const writer = createClip();
    writer.push(Buffer.from('a'));
    const playing = speaker.play(writer.clip);
    steps.step(20);
    expect(speaking).toEqual([]);
    writer.fail(new Error('gone'));
    expect(await playing).toMatchObject({ outcome: 'truncated', packetsSent: 1, error: new Error('gone') });
    steps.step(20);
    expect(speaking).toEqual([false]);
    expect(sent.join('')).toBe('a_____');
  });

  test('clips that fail or end before their first packet do not keep the next one waiting', async () => {
    const failing = createClip();
    const [first, second] = [speaker.play(failing.clip), speaker.play(clip('x'))];
    failing.fail(new Error('404'));
    await settle();
    steps.step();
    expect(sent).toEqual(['x']);
    expect(await first).toMatchObject({ outcome: 'truncated', packetsSent: 0, firstPacketAtMs: undefined });
    expect(await second).toMatchObject({ outcome: 'finished' });
    expect(await speaker.play(clip(''))).toMatchObject({ outcome: 'finished', packetsSent: 0, encrypted: false });
  });

  test('stops within a frame when told to, and no frame of it opens the next clip', async () => {
    const controller = new AbortController();
    const first = speaker.play(clip('abcdef'), { signal: controller.signal, onFlowing: () => undefined });
    steps.step(2);
    controller.abort();
    expect(await first).toMatchObject({ outcome: 'stopped', packetsSent: 3 });
    void speaker.play(clip('xy'));
    expect(all()).toBe('abcxy_____');
  });

  test('paused, it ends the spurt with five frames of silence and rests; resumed, it goes on with the very next packet', async () => {
    // The process started weeks before: no packet counts as late for that.
    steps.elapse(30 * 24 * 3_600_000);
    const playing = speaker.play(clip('abcd'));
    steps.step();
    speaker.pause();
    steps.step(50);
    expect(sent.join('')).toBe('ab_____');
    expect(steps.isRunning()).toBe(false);
    expect(speaking).toEqual([false]);
    speaker.resume();
    expect(sent.join('')).toBe('ab_____c');
    expect(all()).toBe('ab_____cd_____');
    expect(await playing).toMatchObject({ outcome: 'finished', packetsSent: 4, lateCount: 0, skippedCount: 0 });
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
    expect(all()).toBe('abxy_____');
    expect([await first, await second]).toMatchObject([{ outcome: 'finished' }, { outcome: 'finished' }]);
  });

  const passes = (turns: number) => () => steps.step(turns);
  const plays = (text: string) => () => void speaker.play(clip(text));
  const leadIn = () => speaker.leadIn(3);
  const gateIs = (next: Gate) => () => {
    gate = next;
  };
  const [pause, resume] = [() => speaker.pause(), () => speaker.resume()];
  test.each<[string, string, ...(() => void)[]]>([
    ['waiting clips follow each other without silence between', 'abcd_____', plays('ab'), plays('cd')],
    ['a new clip breaks the closing silence off', 'a__b_____', plays('a'), passes(2), plays('b')],
    ['the lead-in is sent at once, then the clip, whenever it came', '___ab_____', leadIn, passes(1), plays('ab')],
    [
      'the first audible packet waits until the gate opens, the lead-in runs meanwhile',
      '___ab_____',
      ...[gateIs('hold'), leadIn, plays('ab'), passes(50), gateIs('encrypted')],
    ],
    [
      'nothing is lost when the gate closes again in the middle',
      'ab_____cd_____',
      ...[plays('abcd'), passes(1), gateIs('hold'), passes(10), gateIs('encrypted')],
    ],
    ['a pause shorter than the closing silence keeps the rhythm', 'a__bc_____', plays('abc'), pause, passes(2), resume],
    [
      'connected anew during a pause, the lead-in is sent when it goes on: a stage has given the floor',
      'a________bc_____',
      ...[plays('abc'), pause, passes(10), leadIn, passes(10), resume],
    ],
    [
      'paused in the lead-in, the rest of it is sent when it goes on',
      'ab________c_____',
      ...[plays('ab'), passes(20), leadIn, passes(1), pause, passes(10), plays('c'), resume],
    ],
  ])('%s', (_, heard, ...does) => {
    for (const one of does) one();
    expect(all()).toBe(heard);
    expect([steps.isRunning(), speaking.at(-1)]).toEqual([false, false]);
  });

  test('says so when a packet went out without end-to-end encryption', async () => {
    gate = 'clear';
    expect(await speaker.play(clip('a'))).toMatchObject({ encrypted: false });
  });

  test('waits while the connection takes nothing, and goes on where it stopped when woken', async () => {
    const playing = speaker.play(clip('abcd'));
    steps.step();
    isUp = false;
    steps.step(25);
    expect(steps.isRunning()).toBe(false);
    isUp = true;
    speaker.leadIn(2);
    expect(all()).toBe('ab__cd_____');
    expect(await playing).toMatchObject({ outcome: 'finished', packetsSent: 4 });
  });

  test('a packet whose sending throws is sent again in the next turn', async () => {
    const playing = speaker.play(clip('abc'));
    throws = 3;
    expect(all()).toBe('abc_____');
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
    speaker.close();
    steps.step(10);
    speaker.wake();
    expect(sent.join('')).toBe('a');
    expect([await first, await second]).toMatchObject([{ outcome: 'stopped', packetsSent: 1 }, { outcome: 'stopped' }]);
    expect(await speaker.play(clip('z'))).toMatchObject({ outcome: 'stopped', packetsSent: 0 });
  });
});
