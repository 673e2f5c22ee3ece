import { EventEmitter } from 'node:events';
import { vi } from 'vitest';
import { clipFromPackets } from '../../../src/audio/clips/clip.ts';
import type { SessionEnd } from '../../../src/audio/connection/voice-session-types.ts';
import type { VoiceSession } from '../../../src/audio/connection/voice-sessions.ts';
import type { PlayResult } from '../../../src/audio/playing/clip-player.ts';
import { DeliveryError, type UserError } from '../../../src/errors/user-errors.ts';
import { createGuildSpeaker, type Leaving, type SpeakerEvents } from '../../../src/services/playback/guild-speaker.ts';
import { DEFAULT_SPEAKER_LIMITS, type SpeakerLimits } from '../../../src/services/presence/channel-presence.ts';
import type { NewItem, SpeechOrder } from '../../../src/services/queue/queue-item.ts';
import type { Synthesis } from '../../../src/services/synthesis/synthesis.ts';
import type { SpeechResult } from '../../../src/speech/client/client.ts';
import type { SpeechRequest } from '../../../src/speech/interface/schemas.ts';
import type { Text } from '../../../src/texts/catalog.ts';
import { silentLog } from '../../silent-log.ts';
import { speechResult } from '../../speech/speech-result.ts';
import { placeAt } from '../presence/place.ts';
import { factsOf, orderOf, requestedOf } from '../queue/items.ts';

export const GENERAL = 'general';
export const MUSIC = 'music';

/** Something that was asked for and that the test answers when it wants to. */
interface Asked<Answer> {
  readonly what: string;
  readonly signal: AbortSignal;
  answer(value: Answer): void;
  fail(error: unknown): void;
}

/** The sound of a text for whose answer the test decides; at '/cached' it was there before. */
function synthesis(answer: Promise<SpeechResult>, billed?: Promise<void>): Synthesis {
  const clip = answer.then(({ audioUrl }) => {
    const packets = Number(audioUrl.searchParams.get('packets') ?? 1);
    return clipFromPackets(Array.from({ length: packets }, () => new Uint8Array(3)));
  });
  const paid: Partial<SpeechResult> = {};
  answer.then((made) => Object.assign(paid, made)).catch(() => undefined);
  return {
    clip,
    facts: () => factsOf({ ...paid, cached: paid.audioUrl?.pathname === '/cached' }),
    async end() {
      await billed;
      const made = await answer.catch(() => undefined);
      return made ? { kind: 'used', credits: made.creditsUsed } : { kind: 'none' };
    },
  };
}

interface Options extends Partial<SpeakerLimits> {
  /** What a text cost that has ended is known from then on; by default at once. */
  readonly billed?: Promise<void>;
}

/** A fake of the voice channel, the speech service and the pipeline, which answer when the test says so, as does time. */
export function stage({ billed, ...initial }: Options = {}) {
  vi.useFakeTimers();
  const spoken: Asked<SpeechResult>[] = [];
  const joins: Asked<VoiceSession>[] = [];
  const plays: Asked<PlayResult>[] = [];
  const listeners: Record<string, number> = { [GENERAL]: 1, [MUSIC]: 1 };
  const limits = { ...DEFAULT_SPEAKER_LIMITS, queueLimit: 3, aloneMs: 1000, idleMs: 10_000, ...initial };
  /** Why the bot cannot be heard in a channel; may be changed. */
  const obstacles: Record<string, Text> = {};
  /** While it does not admit the bot, no packet leaves. */
  const group = { admits: true };
  const left: Leaving[] = [];
  const firstAudio: { kind: string; ms: number }[] = [];
  let endPresent: ((end: SessionEnd) => void) | undefined;

  function asked<Answer>(list: Asked<Answer>[], what: string, signal: AbortSignal, onAbort?: () => unknown) {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    signal.addEventListener('abort', () => (onAbort ? resolve(onAbort() as Answer) : reject(signal.reason)));
    list.push({ what, signal, answer: resolve, fail: reject });
    return promise;
  }

  function session(channelId: string) {
    const closed = Promise.withResolvers<SessionEnd>();
    let onArrived: (channelId: string) => void = () => undefined;
    let stay = new AbortController();
    /** It has been moved away, or is out to join again. */
    const endStay = () => stay.abort();
    const end = (reason: SessionEnd) => {
      fake.state = { status: 'closed', end: reason };
      endStay();
      closed.resolve(reason);
      connected.resolve();
    };
    let flows: () => void = () => undefined;
    let isHeld = false;
    const flow = () => {
      isHeld = fake.isPaused || !group.admits;
      if (!isHeld) flows();
    };
    let connected = Promise.withResolvers<void>();
    connected.resolve();
    const interrupt = () => {
      fake.state = { status: 'reconnecting', step: 'asking-why', attempt: 0, closeCode: 4014 };
      connected = Promise.withResolvers();
    };
    const admit = () => {
      group.admits = true;
      flow();
    };
    const restore = () => {
      fake.state = { status: 'ready' };
      connected.resolve();
    };
    endPresent = end;
    const fake: { -readonly [Name in keyof VoiceSession]: VoiceSession[Name] } & { isPaused: boolean } = {
      channelId,
      state: { status: 'ready' },
      isPaused: false,
      stay: stay.signal,
      get encryption() {
        return group.admits ? ('end-to-end' as const) : ('pending' as const);
      },
      play(clip, options) {
        flows = options?.onFlowing ?? flows;
        flow();
        const onAbort = () => ({ ...played, outcome: 'stopped' });
        return asked(plays, String(clip.packets.length), options?.signal as AbortSignal, onAbort);
      },
      whenReady: () => connected.promise,
      pause: () => {
        fake.isPaused = true;
      },
      resume: () => {
        fake.isPaused = false;
        if (isHeld) flow();
      },
      closed: closed.promise,
      onArrived(listener) {
        onArrived = listener;
      },
      holdUntil(audible) {
        const { signal } = stay;
        audible.catch((error: Error) => {
          if (!signal.aborted) plays.at(-1)?.answer({ ...played, outcome: 'truncated', error });
        });
      },
      leave: vi.fn(async () => end({ reason: 'left' })),
    };
    const move = (to: string) => {
      endStay();
      stay = new AbortController();
      fake.stay = stay.signal;
      fake.channelId = to;
      onArrived(to);
    };
    return { fake, end, endStay, move, interrupt, restore, admit };
  }

  const onDeserted = vi.fn();
  const events: SpeakerEvents = new EventEmitter();
  events.on('left', (leaving) => left.push(leaving)).on('deserted', onDeserted);
  const speaker = createGuildSpeaker({
    guildId: 'guild',
    log: silentLog,
    limitsOf: () => limits,
    events,
    metrics: { firstAudio: (sample: (typeof firstAudio)[number]) => firstAudio.push(sample) } as never,
    channels: {
      listeners: (_, channelId) => listeners[channelId] ?? 0,
      exists: (channelId) => channelId in listeners,
      obstacle: (_, channelId) => obstacles[channelId],
      joinsFirst: () => false,
    },
    sessions: {
      async join({ channelId }, { signal, audible }) {
        endPresent?.({ reason: 'moved-away' });
        endPresent = undefined;
        const joined = await asked(joins, channelId, signal);
        void audible(joined.stay);
        return joined;
      },
    },
    synthesizer: {
      render: (request: SpeechRequest, { signal }: { readonly signal: AbortSignal }) =>
        synthesis(asked(spoken, request.input, signal), billed),
      spokenMs: ({ input }: SpeechRequest) => 300 + input.length * 65,
    } as never,
  });
  const inputs = () => spoken.map(({ what }) => what);
  /** The join under way succeeds. */
  async function arrive(channelId = GENERAL) {
    const present = session(channelId);
    joins.at(-1)?.answer(present.fake);
    await settle();
    return present;
  }
  /** It does, and the text that was asked for last is there: it is being played. */
  async function begin(channelId = GENERAL, answer = result()) {
    spoken.at(-1)?.answer(answer);
    return arrive(channelId);
  }
  /** The audio of that text is there, and that play comes to its end. */
  async function speaks(text: number, play: number) {
    spoken[text]?.answer(result());
    await settle();
    plays[play]?.answer(played);
    await settle();
  }
  /** That text is spoken from its beginning to its end. */
  async function hears(asked: NewItem, answer?: SpeechResult) {
    const submission = speaker.submit(asked);
    const present = await begin(asked.place.channelId, answer);
    plays.at(-1)?.answer(played);
    await submission.delivery;
    await settle();
    return { ...present, submission };
  }
  /** For a test that wants only the end of it. */
  const say = async (asked: NewItem) => speaker.submit(asked).delivery;
  return {
    speaker,
    say,
    spoken,
    joins,
    plays,
    listeners,
    obstacles,
    group,
    left,
    onDeserted,
    firstAudio,
    inputs,
    arrive,
    begin,
    speaks,
    hears,
  };
}

export const played: PlayResult = {
  outcome: 'finished',
  packetsSent: 1,
  lateCount: 0,
  skippedCount: 0,
  encrypted: true,
  firstPacketAtMs: 0,
  error: undefined,
};

export const result = (path = '/audio', creditsUsed = 12): SpeechResult =>
  speechResult({ audioUrl: new URL(`https://audio.example.com${path}`), creditsUsed });

export const utterance = (
  input: string,
  channelId = GENERAL,
  userId = 'alice',
  more: Partial<SpeechOrder> = {},
): NewItem => ({
  place: placeAt(channelId),
  order: orderOf({ userId, words: input, ...more }),
  requested: requestedOf(input),
});

export async function failure(delivery: Promise<unknown>): Promise<DeliveryError> {
  const error = await delivery.catch((reason: unknown) => reason);
  if (!(error instanceof DeliveryError))
    throw new Error('It should have failed with a DeliveryError', { cause: error });
  return error;
}

export const keyOf = (error: DeliveryError) => (error.cause as UserError).text.key;

/** Lets everything that is ready to go on go on. */
export const settle = () => vi.advanceTimersByTimeAsync(0);
