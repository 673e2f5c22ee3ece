/*
 * Plays decoded frames at their RTP time. The first frame after a pause waits for TARGET_MS, so that a later one may be
 * late by so much; never more than LIMIT_MS are kept, so that what is heard is not behind what is spoken.
 */

const RATE_HZ = 48_000;
const TARGET = (36 * RATE_HZ) / 1_000;
const LIMIT = (60 * RATE_HZ) / 1_000;
/** Frames of silence are not sent on: after so long without a frame the next one begins a new stretch. */
const PAUSE = (200 * RATE_HZ) / 1_000;
const REPORT_EVERY = (40 * RATE_HZ) / 1_000;

class JitterBuffer extends AudioWorkletProcessor {
  constructor() {
    super();
    this.frames = [];
    /** Samples since the start of this stretch: what is played now, and where the newest frame begins. */
    this.at = undefined;
    this.newest = 0;
    this.ssrc = undefined;
    this.idle = 0;
    this.report = { samples: 0, square: 0, late: 0, skipped: 0, deepest: 0 };
    this.port.onmessage = ({ data }) => this.take(data);
  }

  take({ samples, timestamp, ssrc }) {
    if (ssrc !== this.ssrc || this.at === undefined || this.idle > PAUSE) {
      this.frames = [];
      this.ssrc = ssrc;
      this.base = timestamp;
      this.at = -TARGET;
      this.newest = 0;
    }
    this.idle = 0;
    // RTP's clock wraps at 32 bits.
    const start = (timestamp - this.base) | 0;
    if (start < this.at) {
      this.report.late += 1;
      // Overtaken by a later one: its time is over. Else the way has become longer, and all wait a little more from here on.
      if (start < this.newest) return;
      this.frames = [];
      this.at = start - TARGET;
    }
    this.newest = Math.max(start, this.newest);
    this.frames.push({ start, samples });
    this.frames.sort((a, b) => a.start - b.start);
    const end = this.newest + samples.length;
    const kept = end - this.at;
    this.report.deepest = Math.max(this.report.deepest, kept);
    if (kept > LIMIT) {
      // What came late in a burst: the oldest of it is left out.
      this.at = end - LIMIT;
      this.forget();
      this.report.skipped += 1;
    }
  }

  forget() {
    this.frames = this.frames.filter(({ start, samples }) => start + samples.length > this.at);
  }

  process(_inputs, [[output]]) {
    if (this.at !== undefined) {
      this.forget();
      for (const { start, samples } of this.frames) {
        const from = Math.max(0, start - this.at);
        for (let index = from; index < output.length; index += 1) {
          const sample = samples[this.at + index - start];
          if (sample === undefined) break;
          output[index] = sample;
        }
      }
      this.at += output.length;
      this.idle = this.frames.length > 0 ? 0 : this.idle + output.length;
    }
    this.measure(output);
    return true;
  }

  measure(output) {
    const { report } = this;
    for (const sample of output) report.square += sample * sample;
    report.samples += output.length;
    if (report.samples < REPORT_EVERY) return;
    const level = Math.sqrt(report.square / report.samples);
    const bufferMs = (report.deepest / RATE_HZ) * 1_000;
    this.port.postMessage({ level, late: report.late, skipped: report.skipped, bufferMs });
    this.report = { samples: 0, square: 0, late: 0, skipped: 0, deepest: 0 };
  }
}

registerProcessor('jitter-buffer', JitterBuffer);
