import type { Text } from '../../texts/catalog.ts';
import { createVoicePresence, DEFAULT_SPEAKER_LIMITS, type SpeakerLimits } from '../presence/channel-presence.ts';
import { abortable } from '../time/deadline.ts';
import type { GuildSpeaker, GuildSpeakerOptions } from './guild-speaker-types.ts';
import { createPlaybackLoop, interruption } from './playback-loop.ts';
import { createSpeakerQueue } from './speaker-queue.ts';
import type { SpeakerEffect, SpeakerState } from './speaker-state.ts';

export function createGuildSpeaker(options: GuildSpeakerOptions): GuildSpeaker {
  const { guildId, listeners, channelExists, synthesizer } = options;
  const log = options.log.child({ guildId });
  const limits = (): SpeakerLimits => ({ ...DEFAULT_SPEAKER_LIMITS, ...options.limitsOf?.(guildId) });
  /** Aborted with the refusal: ends the joins that speak nothing. */
  const refusing = new AbortController();
  let closing: Promise<void> | undefined;

  const queue = createSpeakerQueue({
    guildId,
    synthesizer,
    facts: () => ({
      channelId: presence.channelId,
      listeners: (channelId, withoutUserId) => listeners(guildId, channelId, withoutUserId),
      obstacle: (channelId) => options.obstacle?.(guildId, channelId),
      limits: limits(),
    }),
    carryOut,
    log,
  });
  const { dispatch } = queue;
  const presence = createVoicePresence({
    ...options,
    log,
    limits,
    onMoved: (from, channelId) => dispatch({ type: 'moved', from, channelId }),
    onAlone(channelId) {
      dispatch({ type: 'alone', channelId });
      options.onDeserted?.(guildId);
    },
    onLeft: (left) => dispatch({ type: 'left', ...left }),
  });
  const turns = createPlaybackLoop({ ...options, presence, queue, limits });

  function carryOut(effect: SpeakerEffect, { refusal }: SpeakerState): void {
    switch (effect.type) {
      case 'wake':
        turns.wake();
        break;
      case 'start-over':
        turns.startOver();
        break;
      case 'hold':
        turns.hold();
        break;
      case 'go-on':
        turns.goOn();
        break;
      case 'abort-joins':
        refusing.abort(refusal);
        break;
      case 'leave':
        presence.leaveSoon(effect.reason, effect.obstacle);
        break;
      case 'report-left':
        reportLeft(effect);
        break;
    }
  }

  function reportLeft({ left, usedFrom }: Extract<SpeakerEffect, { type: 'report-left' }>): void {
    const { channelId: voiceChannelId, ...why } = left;
    try {
      options.onLeft?.({ guildId, voiceChannelId, textChannelId: usedFrom, ...why });
    } catch (error) {
      // An error of a subscriber must not stop the rest of leaving.
      log.error({ err: error }, 'A subscriber of the guild speaker threw');
    }
  }

  async function end(reason: Text): Promise<void> {
    dispatch({ type: 'close', reason });
    queue.clear();
    await presence.leave('closing');
  }

  return {
    get channelId() {
      return presence.channelId;
    },
    get isPaused() {
      return queue.isPaused;
    },
    occupiedElsewhere: (channelId, userId) => queue.isOccupiedElsewhere({ channelId, userId }),
    submit: queue.submit,
    replay: queue.replay,
    skip: queue.skip,
    stop: queue.stop,
    stopWhatComes: queue.stopWhatComes,
    refuse: queue.refuse,
    forgetMember: queue.forgetMember,
    forgetAuthor: queue.forgetAuthor,
    pause() {
      const wasPaused = queue.isPaused;
      const effects = dispatch({ type: 'pause' });
      return wasPaused ? 'already-paused' : effects.length > 0 ? 'paused' : 'nothing-to-pause';
    },
    resume: () => void dispatch({ type: 'resume' }),
    queue: queue.queue,
    find: queue.find,
    spoken: queue.spoken,
    async join(place, { userId, textChannelId, signal = new AbortController().signal } = {}) {
      dispatch({ type: 'join', place, userId, textChannelId });
      const release = presence.need();
      try {
        const session = await presence.enter(place, AbortSignal.any([signal, refusing.signal]));
        if (session.state.status === 'closed') throw interruption(session, { packetsSent: 0 }, channelExists);
      } finally {
        release();
        queue.changed();
      }
    },
    async leave(byUserId) {
      dispatch({ type: 'stop', byUserId });
      await presence.leave('asked');
    },
    audienceChanged: presence.audienceChanged,
    accessChanged: () => void dispatch({ type: 'access-changed' }),
    movedToAudience: () => void dispatch({ type: 'put-into-audience' }),
    sendAway: (reason) => void dispatch({ type: 'sent-away', reason }),
    heldBack: (channelId) => void dispatch({ type: 'held-back', channelId }),
    limitsChanged() {
      presence.limitsChanged();
      turns.limitsChanged();
    },
    async drain({ reason, signal }) {
      dispatch({ type: 'drain', reason });
      await abortable(turns.idle, signal);
    },
    close(reason) {
      closing ??= end(reason);
      return closing;
    },
  };
}
