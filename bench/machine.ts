import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';

export function loadAverage(): number[] {
  return readFileSync('/proc/loadavg', 'utf8').split(' ').slice(0, 3).map(Number);
}

interface CoreTimes {
  busy: number;
  total: number;
}

function coreTimes(): CoreTimes[] {
  return readFileSync('/proc/stat', 'utf8')
    .split('\n')
    .filter((line) => /^cpu\d/.test(line))
    .map((line) => {
      const times = line.split(/\s+/).slice(1, 9).map(Number);
      const total = times.reduce((sum, time) => sum + time, 0);
      return { busy: total - (times[3] ?? 0) - (times[4] ?? 0), total };
    });
}

/** Measures how busy each core is, as 0..1 over all processes, until the returned function is called. */
export function watchCores(): () => number[] {
  const before = coreTimes();
  return () =>
    coreTimes().map(({ busy, total }, core) => {
      const from = before[core] ?? { busy: 0, total: 0 };
      return total === from.total ? 0 : (busy - from.busy) / (total - from.total);
    });
}

/** Clock ticks per second in /proc/PID/stat: 100 on every Linux. */
const TICKS_PER_SECOND = 100;

/** CPU time of this process and its ended children, in ms. */
export function cpuWithChildrenMs(): number {
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  // cutime and cstime; https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
  const children = (Number(fields[13]) + Number(fields[14])) * (1000 / TICKS_PER_SECOND);
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000 + children;
}

/** The running child processes. */
export function childPids(pid: number = process.pid): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
}

/** Proportional memory of a process in MB: its private pages plus its share of shared pages. */
export function proportionalMb(pid: number): number {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  return Number(/^Pss:\s+(\d+)/m.exec(text)?.[1] ?? 0) / 1024;
}

/** Resident memory of a process in MB, with all shared pages. */
export function residentMb(pid: number): number {
  return Number(/^Rss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0) / 1024;
}

export function cpuOfMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * (1000 / TICKS_PER_SECOND);
}

export function describeMachine(): string {
  const model = cpus()[0]?.model.trim() ?? 'unknown';
  return `${cpus().length} × ${model}, Node ${process.version}, ${process.platform}`;
}
