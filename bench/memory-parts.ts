import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { compactHeap } from '../src/process/compact-heap.ts';
import { useCompileCache } from '../src/process/compile-cache.ts';
import { NODE_FLAGS } from '../src/process/node-flags.ts';

// node bench/memory-parts.ts: the resident memory of a process that has loaded one thing alone, and nothing else of the program, as a
// table for docs/measurements.md. With names: of these alone.

const PARTS: Readonly<Record<string, readonly string[]>> = {
  'a bare Node': [],
  'the whole bot (`src/app/app.ts`), before it is started': ['../src/process/fetch-globals.ts', '../src/app/app.ts'],
  'all commands': ['../src/process/fetch-globals.ts', '../src/commands/index.ts'],
  'discord.js': ['../src/process/fetch-globals.ts', 'discord.js'],
  undici: ['undici'],
  '`@discordjs/voice`': ['@discordjs/voice'],
  zod: ['zod'],
  'prom-client': ['prom-client'],
  sodium: ['sodium-native'],
  mpg123: ['mpg123-decoder'],
  davey: ['@snazzah/davey'],
  'the texts in three languages': ['../src/texts/catalogue.ts'],
  'the local voice (`src/speech-service/server.ts`), before its first text': ['../src/speech-service/server.ts'],
};

/** Resident MB: Node's program and libraries, which are files, the C heap, and all else, most of which is V8's. */
function resident(): { file: number; malloc: number; other: number } {
  const sums = { file: 0, malloc: 0, other: 0 };
  let kind: keyof typeof sums = 'other';
  for (const line of readFileSync('/proc/self/smaps', 'utf8').split('\n')) {
    const [, name] = /^[\da-f]+-[\da-f]+ \S+ \S+ \S+ \d+\s*(.*)$/.exec(line) ?? [];
    if (name !== undefined) kind = name.startsWith('/') ? 'file' : name === '[heap]' ? 'malloc' : 'other';
    sums[kind] += Number(/^Rss:\s+(\d+)/.exec(line)?.[1] ?? 0) / 1024;
  }
  return sums;
}

async function measureHere(imports: readonly string[]): Promise<void> {
  for (const path of imports) await import(path);
  compactHeap();
  await sleep(1_000);
  process.stdout.write(JSON.stringify(resident()));
}

function measure(name: string): ReturnType<typeof resident> {
  const run = () =>
    execFileSync(process.execPath, [...NODE_FLAGS, import.meta.filename, '--measure', name], { encoding: 'utf8' });
  // The first time fills the compile cache.
  run();
  return JSON.parse(run());
}

const [first, ...others] = process.argv.slice(2);
if (first === '--measure') {
  await measureHere(PARTS[others[0] ?? ''] ?? []);
} else {
  useCompileCache();
  process.env.MALLOC_TRIM_THRESHOLD_ ??= '131072';
  const names = first === undefined ? Object.keys(PARTS) : [first, ...others];
  process.stdout.write('| loaded alone | MB resident | files | C heap | other, mostly V8 |\n|---|---|---|---|---|\n');
  for (const name of names) {
    const { file, malloc, other } = measure(name);
    const cells = [file + malloc + other, file, malloc, other].map((mb) => mb.toFixed(0));
    process.stdout.write(`| ${[name, ...cells].join(' | ')} |\n`);
  }
}
