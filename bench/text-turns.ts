import { setImmediate } from 'node:timers/promises';
import { pino } from 'pino';
import { rulesOf } from '../src/services/servers/server-rules.ts';
import { planParts } from '../src/services/synthesis/chunk-plan.ts';
import { createDictionary, type DictionaryEntry } from '../src/services/text/dictionary-rules.ts';
import { createSpokenTexts } from '../src/services/text/spoken-text.ts';
import { createTextThread } from '../src/services/text/text-thread.ts';

/*
 * For how long one text holds up the event loop, which sends the packets of all servers:
 *   node bench/text-turns.ts
 * Crafted texts, 300 crafted blocked words and a crafted dictionary, through the way of every text: readable, blocked
 * words, dictionary; and cut into the parts that are synthesised, by the rules of each kind of tag. The turns are measured in CPU time of this thread, the longest turn of the quickest of five runs each.
 */

const LIMIT_MS = 10;
const RUNS = 5;
const LENGTHS = [500, 2_000, 6_000];

const twoLetters = Array.from({ length: 300 }, (_, index) => {
  const bits = Math.imul(index + 1, 0x9e3779b1) >>> 0;
  return `*${bits.toString(2).padStart(32, '0').replaceAll('0', 'i').replaceAll('1', 'l')}*`;
});
const entries: DictionaryEntry[] = Array.from({ length: 1_000 }, (_, index) => ({
  from: 'a'.repeat(1 + (index % 90)) + (index < 90 ? '' : String.fromCharCode(98 + Math.floor(index / 90))),
  to: 'x'.repeat(200),
  wholeWord: false,
}));

const SERVERS = {
  'no rules': { rules: rulesOf({}), dictionary: createDictionary([]) },
  'a few rules': {
    rules: rulesOf({ blockedWords: twoLetters.slice(0, 10), blockedWordsMode: 'bleep' }),
    dictionary: createDictionary(entries.slice(0, 8)),
  },
  'few crafted rules': {
    rules: rulesOf({ blockedWords: twoLetters.slice(0, 50), blockedWordsMode: 'bleep' }),
    dictionary: createDictionary(entries.slice(0, 70)),
  },
  'most crafted rules': {
    rules: rulesOf({ blockedWords: twoLetters, blockedWordsMode: 'bleep' }),
    dictionary: createDictionary(entries),
  },
};

const PATTERNS: Readonly<Record<string, string>> = {
  'words with marks':
    'The _quick_ [brown](fox) jumps over **the lazy** dog, at <@1> and somewhere else again and again. ',
  words: 'The quick brown fox jumps over the lazy dog, at 5 pm. ',
  'signs for letters': '1|!',
  'signs in words': 'a1',
  'one letter': 'a',
  'spelled out': 's.',
  'spelled out, spaced': 'a 1 ',
  'marks of Markdown': '**_~~`||',
  'links begun': '[a](',
  brackets: '[a] ',
  'emphasis crossed': '*a_',
  mentions: '<@1>',
  'tokens begun': '<t:1',
  times: '<t:1:R>',
  backticks: '` `` ',
  spoilers: '||',
  lines: '\n',
  quotes: '> a\n',
  addresses: 'http://a',
  tags: '<a> </a>',
  emoji: '😀👨‍👩‍👧',
  flags: '🇦',
  'combining marks': 'a\u0301\u0327',
  joiners: '\u200d',
  escapes: '\\',
  'styled letters': '𝓐',
  Chinese: '馬鹿',
  'mixed alphabets': 'аіo1',
};

const context = { guildId: '1', locale: 'en-US', now: 0, users: () => 'Bob', channels: () => 'c', roles: () => 'r' };

/** The longest time between two turns of the event loop while this is done, in CPU time of this thread. */
async function longestTurnMs(run: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let isDone = false;
  await setImmediate();
  const cpuMs = () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1_000;
  };
  let before = cpuMs();
  const running = run()
    .catch(() => undefined)
    .finally(() => {
      isDone = true;
    });
  while (!isDone) {
    await setImmediate();
    const now = cpuMs();
    longest = Math.max(longest, now - before);
    before = now;
  }
  await running;
  return longest;
}

const textWork = createTextThread({ log: pino({ level: 'silent' }) });
let worst = { ms: 0, what: '' };
const note = (ms: number, what: string) => {
  if (ms > worst.ms) worst = { ms, what };
  if (ms > LIMIT_MS / 2) console.log(`${ms.toFixed(1).padStart(6)} ms  ${what}`);
};
for (const [name, { rules, dictionary }] of Object.entries(SERVERS)) {
  const texts = createSpokenTexts({
    rules: { of: async () => rules },
    dictionaries: { of: async () => dictionary },
    textWork,
  });
  for (const [pattern, piece] of Object.entries(PATTERNS)) {
    for (const length of LENGTHS) {
      const written = `x${piece.repeat(Math.ceil(length / piece.length))}`.slice(0, length).toWellFormed();
      const turns: number[] = [];
      for (let run = 0; run < RUNS; run++) turns.push(await longestTurnMs(() => texts.ofWritten(written, context)));
      note(Math.min(...turns), `${pattern}, ${length} characters, ${name}`);
    }
  }
}
for (const model of ['orpheus', 'ext', 'gpro31', 'gpro38']) {
  for (const [pattern, piece] of Object.entries(PATTERNS)) {
    const length = Math.max(...LENGTHS);
    const input = piece
      .repeat(Math.ceil(length / piece.length))
      .slice(0, length)
      .toWellFormed();
    const request = { input, voice: { kind: 'id', voiceId: 'id', model } } as const;
    const turns: number[] = [];
    for (let run = 0; run < RUNS; run++) turns.push(await longestTurnMs(async () => planParts(request, 500)));
    note(Math.min(...turns), `${pattern}, ${length} characters, cut into parts for ${model}`);
  }
}
const file = JSON.stringify(entries);
const importMs: number[] = [];
for (let run = 0; run < RUNS; run++) {
  importMs.push(await longestTurnMs(() => textWork.run('1', { kind: 'import', file })));
}
console.log(
  `${Math.min(...importMs)
    .toFixed(1)
    .padStart(6)} ms  the import of a dictionary of 1,000 entries`,
);
await textWork.close();
const isGood = worst.ms <= LIMIT_MS;
console.log(
  `longest turn ${worst.ms.toFixed(1)} ms (at most ${LIMIT_MS}): ${isGood ? 'good' : 'TOO LONG'}: ${worst.what}`,
);
process.exitCode = isGood ? 0 : 1;
