/** 150 ms at 48 kHz, in which one lag fits: a jitter buffer may move its clock between two of them. */
const WINDOW = 7_200;
const COARSE = 8;
/** 60 ms of buffer to either side. */
const MOVES = 2_880;

const thinned = (samples: Float32Array) => {
  const kept = new Float32Array(Math.floor(samples.length / COARSE));
  for (let index = 0; index < kept.length; index += 1) {
    let sum = 0;
    for (let part = 0; part < COARSE; part += 1) sum += samples[index * COARSE + part] ?? 0;
    kept[index] = sum;
  }
  return kept;
};

/** Where the whole source fits best. */
function bestLag(source: Float32Array, heard: Float32Array): number {
  const [thinSource, thinHeard] = [thinned(source), thinned(heard)];
  let best = { lag: 0, score: Number.NEGATIVE_INFINITY };
  for (let lag = 0; lag < thinHeard.length; lag += 1) {
    let score = 0;
    const end = Math.min(thinSource.length, thinHeard.length - lag);
    for (let index = 0; index < end; index += 1) score += (thinSource[index] ?? 0) * (thinHeard[lag + index] ?? 0);
    if (score > best.score) best = { lag, score };
  }
  return best.lag * COARSE;
}

function correlation(source: Float32Array, at: number, heard: Float32Array, from: number): number {
  let [product, one, other] = [0, 0, 0];
  for (let index = 0; index < WINDOW; index += 1) {
    const a = source[at + index] ?? 0;
    const b = heard[from + index] ?? 0;
    product += a * b;
    one += a * a;
    other += b * b;
  }
  return one === 0 || other === 0 ? 0 : product / Math.sqrt(one * other);
}

function bestCorrelation(source: Float32Array, at: number, heard: Float32Array, around: number) {
  let best = { move: 0, value: 0 };
  const look = (from: number, to: number, step: number) => {
    for (let move = from; move <= to; move += step) {
      const value = correlation(source, at, heard, Math.max(0, around + move));
      if (value > best.value) best = { move, value };
    }
  };
  look(-MOVES, MOVES, COARSE);
  look(best.move - COARSE, best.move + COARSE, 1);
  return best;
}

/** How much of `source` is in `heard`: 1 for all of it; each window at its best place, weighted by its energy. */
export function similarity(source: Float32Array, heard: Float32Array): number {
  let lag = bestLag(source, heard);
  let [sum, weights] = [0, 0];
  for (let at = 0; at + WINDOW <= source.length; at += WINDOW) {
    const weight = source.subarray(at, at + WINDOW).reduce((total, sample) => total + sample * sample, 0);
    const { move, value } = bestCorrelation(source, at, heard, lag + at);
    // After a stall all that follows is heard later.
    if (value > 0.9) lag += move;
    sum += value * weight;
    weights += weight;
  }
  return weights === 0 ? 0 : sum / weights;
}
