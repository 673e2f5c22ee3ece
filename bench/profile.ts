import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** V8's output of --cpu-prof; https://chromedevtools.github.io/devtools-protocol/tot/Profiler/#type-Profile */
interface CpuProfile {
  nodes: { id: number; callFrame: { functionName: string; url: string; lineNumber: number } }[];
  samples: number[];
  /** Microseconds since the sample before. */
  timeDeltas: number[];
}

const SHOWN = 25;

/** Where a frame is, without this machine's folders. */
function place(url: string, lineNumber: number): string {
  if (url === '') return '';
  return ` (${url.replace(/^file:.*?\/(?=src\/|bench\/|node_modules\/)/, '')}:${lineNumber + 1})`;
}

/** The functions in which the processes of one run spent most CPU time themselves, as Markdown. */
export function profileSummary(folder: string, title: string): string {
  const selfMs = new Map<string, number>();
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.cpuprofile'))) {
    const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(join(folder, file), 'utf8')) as CpuProfile;
    const names = new Map(
      nodes.map(({ id, callFrame: { functionName, url, lineNumber } }) => [
        id,
        `${functionName || '(anonymous)'}${place(url, lineNumber)}`,
      ]),
    );
    for (const [i, id] of samples.entries()) {
      const name = names.get(id) ?? '(unknown)';
      selfMs.set(name, (selfMs.get(name) ?? 0) + (timeDeltas[i] ?? 0) / 1000);
    }
  }
  selfMs.delete('(idle)');
  const total = [...selfMs.values()].reduce((sum, ms) => sum + ms, 0);
  const lines = [...selfMs]
    .sort(([, a], [, b]) => b - a)
    .slice(0, SHOWN)
    .map(([name, ms]) => `| ${ms.toFixed(0)} | ${((ms / total) * 100).toFixed(1)} % | \`${name}\` |`);
  return [
    `# Where the CPU time went: ${title}`,
    '',
    "Self time of the speaking process over the whole row (`--profile`): joining, our trials and the peer's.",
    '',
    '| ms | share | function |',
    '|---|---|---|',
    ...lines,
    '',
  ].join('\n');
}
