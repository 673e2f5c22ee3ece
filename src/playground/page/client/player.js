/* Plays what the acting member hears: packets are decoded on arrival, and played at their RTP time. */

import { createDecoder } from '/libopus/index.js';

const RATE_HZ = 48_000;
/** The delay of playback, in seconds: a packet that arrives up to this much late is still played in time. */
const BUFFER_SECONDS = 0.06;
const HEADER_BYTES = 16;

export function createPlayer(onSpeaking) {
  const context = new AudioContext({ sampleRate: RATE_HZ, latencyHint: 'interactive' });
  const volume = new GainNode(context);
  volume.connect(context.destination);
  /** The start of the current stretch of speech, as RTP timestamp and as time of the audio context. */
  let start;
  let playsUntil = 0;
  let decoder;
  createDecoder({ channels: 1, sampleRate: RATE_HZ }).then((opened) => {
    decoder = opened;
  });

  // Starts audio with the first click or key press on the page, because a browser plays no audio before.
  for (const gesture of ['pointerdown', 'keydown']) document.addEventListener(gesture, () => context.resume(), true);

  function timeOf(timestamp, ssrc) {
    const now = context.currentTime;
    const isSame = start?.ssrc === ssrc && playsUntil > now;
    // The difference of RTP timestamps is taken as 32 bits, because the timestamps wrap.
    const due = isSame ? start.at + ((timestamp - start.timestamp) | 0) / RATE_HZ : 0;
    if (due >= now) return due;
    // A packet that a later packet has overtaken is dropped. After a pause or a late packet, buffering starts again.
    if (isSame && ((timestamp - start.newest) | 0) < 0) return undefined;
    // Audio starts at a whole sample, because the browser would otherwise interpolate between samples.
    const at = Math.ceil((now + BUFFER_SECONDS) * RATE_HZ) / RATE_HZ;
    start = { ssrc, timestamp, newest: timestamp, at };
    return at;
  }

  return {
    /** Plays an audio packet in the format that `audioFrame` in `connection.ts` writes. */
    play(packet) {
      const view = new DataView(packet);
      onSpeaking(view.getBigUint64(8).toString());
      if (!decoder || context.state !== 'running') return;
      const samples = decoder.decodeFloat(new Uint8Array(packet, HEADER_BYTES));
      const timestamp = view.getUint32(0);
      const at = timeOf(timestamp, view.getUint32(4));
      if (at === undefined) return;
      if (((timestamp - start.newest) | 0) > 0) start.newest = timestamp;
      playsUntil = Math.max(playsUntil, at + samples.length / RATE_HZ);
      const buffer = context.createBuffer(1, samples.length, RATE_HZ);
      buffer.copyToChannel(samples, 0);
      const source = new AudioBufferSourceNode(context, { buffer });
      source.connect(volume);
      source.start(at);
    },
    setVolume(value) {
      volume.gain.value = value;
    },
  };
}
