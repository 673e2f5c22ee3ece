/* What the acting member hears: packets are decoded as they come, and played at their RTP time after a short wait. */

import { createDecoder } from '/libopus/index.js';

const RATE_HZ = 48_000;
/** The delay that a later packet may have against the first one of a stretch of speech. */
const BUFFER_SECONDS = 0.06;
const HEADER_BYTES = 16;

/** `onSpeaking` is called with the id of who speaks, for each packet. */
export function createPlayer(onSpeaking) {
  const context = new AudioContext({ sampleRate: RATE_HZ, latencyHint: 'interactive' });
  const volume = new GainNode(context);
  volume.connect(context.destination);
  /** The beginning of this stretch of speech: its time in the packets, and in the context. */
  let start;
  let playsUntil = 0;
  let decoder;
  createDecoder({ channels: 1, sampleRate: RATE_HZ }).then((opened) => {
    decoder = opened;
  });

  // Browsers let a page be heard only after its first click or key.
  for (const gesture of ['pointerdown', 'keydown']) document.addEventListener(gesture, () => context.resume(), true);

  /** When a packet is to be heard; undefined where its time is over. */
  function timeOf(timestamp, ssrc) {
    const now = context.currentTime;
    const isSame = start?.ssrc === ssrc && playsUntil > now;
    // RTP's clock wraps at 32 bits.
    const due = isSame ? start.at + ((timestamp - start.timestamp) | 0) / RATE_HZ : 0;
    if (due >= now) return due;
    // Overtaken by a later one. Else the way has become longer, or a pause is over: all wait again from here on.
    if (isSame && ((timestamp - start.newest) | 0) < 0) return undefined;
    // On a whole sample, or the browser would interpolate between two of them.
    const at = Math.ceil((now + BUFFER_SECONDS) * RATE_HZ) / RATE_HZ;
    start = { ssrc, timestamp, newest: timestamp, at };
    return at;
  }

  return {
    /** A packet as `connection.ts` writes it. */
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
