/* What the chosen listener hears: packets are decoded as they come, and played from a short buffer. */

import { openDecoder, SAMPLE_RATE_HZ } from './decoder.js';
import { readFrame } from './frames.js';

/** Below it there is nothing to see on the meter. */
const AUDIBLE = 0.003;

/** `onLevel({ level, speaker })` some 25 times a second while something is heard; `onState` when sound is on or off. */
export function createPlayer({ onLevel, onState }) {
  const context = new AudioContext({ sampleRate: SAMPLE_RATE_HZ, latencyHint: 'interactive' });
  const volume = new GainNode(context);
  const counts = { packets: 0, lost: 0, late: 0, skipped: 0, bufferMs: 0, encrypted: undefined, decoder: '' };
  let node;
  let decoder;
  let speaker;
  let lastSequence;
  let lastSsrc;
  let wasAudible = false;

  const opening = open();

  async function open() {
    await context.audioWorklet.addModule('/sound/jitter-worklet.js');
    node = new AudioWorkletNode(context, 'jitter-buffer', { numberOfInputs: 0, outputChannelCount: [1] });
    node.connect(volume).connect(context.destination);
    node.port.onmessage = ({ data }) => {
      counts.late += data.late;
      counts.skipped += data.skipped;
      if (data.bufferMs > 0) counts.bufferMs = data.bufferMs;
      const audible = data.level > AUDIBLE;
      if (audible || wasAudible) onLevel({ level: audible ? data.level : 0, speaker });
      wasAudible = audible;
    };
    decoder = await openDecoder((samples, { timestamp, ssrc }) =>
      node.port.postMessage({ samples, timestamp, ssrc }, [samples.buffer]),
    );
    counts.decoder = decoder.name;
  }

  context.addEventListener('statechange', () => onState(context.state === 'running'));
  // Browsers let a page be heard only after its first click or key.
  const wake = () => {
    if (context.state === 'suspended') context.resume();
  };
  for (const gesture of ['pointerdown', 'keydown']) document.addEventListener(gesture, wake, true);
  opening.then(() => onState(context.state === 'running'));

  function count({ sequence, ssrc, silence, encrypted }) {
    counts.packets += 1;
    if (!silence) counts.encrypted = encrypted;
    if (ssrc === lastSsrc) counts.lost += Math.max(0, ((sequence - lastSequence) & 0xffff) - 1) % 0x8000;
    lastSequence = sequence;
    lastSsrc = ssrc;
  }

  return {
    counts,
    opening,
    wake,
    play(buffer) {
      const frame = readFrame(buffer);
      count(frame);
      if (frame.silence || !decoder) return;
      speaker = frame.userId;
      // Not yet heard, but shown: the caption and the ring need no loudspeakers.
      if (context.state !== 'running') return onLevel({ level: 2 * AUDIBLE, speaker });
      decoder.decode(frame);
    },
    setVolume(value) {
      volume.gain.value = value;
    },
  };
}
