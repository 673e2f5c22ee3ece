/** Written in place of a value of JSON. */
const SPECIAL: Readonly<Record<string, unknown>> = {
  huge: 'x'.repeat(100_000),
  many: Array.from({ length: 2_000 }, (_, index) => String(index)),
  deep: JSON.parse('['.repeat(500) + ']'.repeat(500)),
};

/** One field is set to a value of JSON or a special one, or left out. */
export function distorted(data: unknown, path: string, value: string): unknown {
  const changed = structuredClone(data);
  const steps = path.split('.').filter((step) => step !== '');
  const last = steps.pop();
  if (last === undefined) return valueFrom(value);
  let at: unknown = changed;
  for (const step of steps) at = isObject(at) && Object.hasOwn(at, step) ? at[step] : undefined;
  if (!isObject(at)) return changed;
  if (value === 'missing') delete at[last];
  else
    Object.defineProperty(at, last, { value: valueFrom(value), configurable: true, enumerable: true, writable: true });
  return changed;
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

function valueFrom(words: string): unknown {
  if (Object.hasOwn(SPECIAL, words)) return SPECIAL[words];
  try {
    return JSON.parse(words);
  } catch {
    return words;
  }
}

/** The word that begins it, and the rest. */
export function firstWord(line: string): readonly [string, string] {
  const [word = '', ...rest] = line.split(' ');
  return [word, rest.join(' ')];
}
