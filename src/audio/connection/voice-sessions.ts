import { version } from '@discordjs/voice';
import { createClock } from '../playing/clock.ts';
import { IS_KNOWN_RELEASE, KNOWN_RELEASE } from './dave.ts';
import { reportCipher } from './packets/sealing.ts';
import { type OpenSession, openSession, type VoiceSession } from './voice-session.ts';
import {
  type JoinTarget,
  SESSION_TIMES,
  type SessionJoinOptions,
  VoiceJoinError,
  type VoiceSessionsOptions,
} from './voice-session-types.ts';
import { createRequestLine, type RequestLine } from './voice-signaling.ts';

export type { VoiceSession } from './voice-session.ts';

export type VoiceSessions = ReturnType<typeof createVoiceSessions>;

/** Up to one voice session for each server. All sessions share one packet clock. */
export function createVoiceSessions(options: VoiceSessionsOptions) {
  const times = { ...SESSION_TIMES, ...options.times };
  const { log, onJoin } = options;
  const clock = createClock(options.maySpeak);
  reportCipher(log);
  if (!IS_KNOWN_RELEASE) {
    log.warn({ version, expected: KNOWN_RELEASE }, 'Unexpected version of @discordjs/voice: speech takes more CPU');
  }
  const sessions = new Map<string, OpenSession>();
  const lines = new Map<number, RequestLine>();
  const leftAtMs = new Map<string, number>();

  function lineOf(shardId: number): RequestLine {
    const line = lines.get(shardId) ?? createRequestLine(times.requestBudget);
    lines.set(shardId, line);
    return line;
  }

  const noteLeft = (guildId: string) => void leftAtMs.set(guildId, performance.now());

  function open(target: JoinTarget, audible: SessionJoinOptions['audible']): OpenSession {
    const { guildId } = target;
    const sinceLeftMs = performance.now() - (leftAtMs.get(guildId) ?? Number.NEGATIVE_INFINITY);
    const session = openSession(target, {
      ...options,
      clock,
      line: lineOf(target.shardId),
      times,
      pauseMs: Math.max(0, times.rejoinDelayMs - sinceLeftMs),
      audible,
      onLeaving: () => noteLeft(guildId),
    });
    sessions.set(guildId, session);
    session.joined.then(
      () => onJoin({ guildId, outcome: 'joined' }),
      (error: unknown) => onJoin({ guildId, outcome: error instanceof VoiceJoinError ? error.kind : 'failed' }),
    );
    void session.closed.then(() => {
      if (sessions.get(guildId) === session) sessions.delete(guildId);
    });
    return session;
  }

  return {
    /** Resolves once packets can be sent. Ends a session in another channel. Rejects with a VoiceJoinError. */
    async join(target: JoinTarget, { signal, audible }: SessionJoinOptions): Promise<VoiceSession> {
      if (signal.aborted) throw new VoiceJoinError('aborted', 'Stopped before joining', { cause: signal.reason });
      const present = sessions.get(target.guildId);
      const isThere = present?.channelId === target.channelId && present.state.status !== 'closed';
      if (present && !isThere) present.end({ reason: 'moved-away' });
      const session = isThere ? present : open(target, audible);
      const onAbort = () => session.end({ reason: 'left' });
      signal.addEventListener('abort', onAbort, { once: true });
      try {
        await session.joined;
        return session;
      } finally {
        signal.removeEventListener('abort', onAbort);
      }
    },
    get: (guildId: string): VoiceSession | undefined => sessions.get(guildId),
    /** Leaves a channel in which the bot has no session. `send` returns false if it sent nothing. */
    leaveStale(guildId: string, shardId: number, send: () => boolean): void {
      lineOf(shardId).enter(guildId, () => {
        const wasSent = send();
        if (wasSent) noteLeft(guildId);
        return wasSent;
      });
    },
    census() {
      const joined = [...sessions.values()].filter(({ state }) => state.status === 'ready').length;
      return { joined, speaking: clock.size };
    },
    async closeAll(): Promise<void> {
      await Promise.all([...sessions.values()].map((session) => session.leave()));
    },
  };
}
