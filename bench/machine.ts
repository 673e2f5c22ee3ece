import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';

export function loadAverage(): number[] {
  return readFileSync('/proc/loadavg', 'utf8').split(' ').slice(0, 3).map(Number);
}

/** The times of each core in the order of /proc/stat: user, nice, system, idle, iowait, irq, softirq, steal. */
const coreTimes = () =>
  readFileSync('/proc/stat', 'utf8')
    .split('\n')
    .filter((line) => /^cpu\d/.test(line))
    .map((line) => line.split(/\s+/).slice(1, 9).map(Number));

/** Measures how busy each core is, as 0..1 over all processes, until the returned function is called. */
export function watchCores(): () => number[] {
  const before = coreTimes();
  return () =>
    coreTimes().map((times, core) => {
      const passed = times.map((time, kind) => time - (before[core]?.[kind] ?? 0));
      const total = passed.reduce((sum, time) => sum + time, 0);
      return total === 0 ? 0 : 1 - ((passed[3] ?? 0) + (passed[4] ?? 0)) / total;
    });
}

/** A clock tick in /proc/PID/stat, 10 ms on every Linux. */
const TICK_MS = 10;

/** Two neighboring CPU times in /proc/PID/stat, added up; https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html */
function statMs(pid: number, first: 11 | 13): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return (Number(fields[first]) + Number(fields[first + 1])) * TICK_MS;
}

/** CPU time of a process, in ms. */
export const cpuOfMs = (pid: number): number => statMs(pid, 11);

/** CPU time of this process and its ended children, in ms. */
export function cpuWithChildrenMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000 + statMs(process.pid, 13);
}

export function childPids(pid: number = process.pid): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
}

const memoryMb = (pid: number, kind: 'Pss' | 'Rss') =>
  Number(new RegExp(`^${kind}:\\s+(\\d+)`, 'm').exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0) /
  1024;

/** Proportional memory of a process in MB: its private pages plus its share of shared pages. */
export const proportionalMb = (pid: number): number => memoryMb(pid, 'Pss');

/** Resident memory of a process in MB, with all shared pages. */
export const residentMb = (pid: number): number => memoryMb(pid, 'Rss');

export function describeMachine(): string {
  const model = cpus()[0]?.model.trim() ?? 'unknown';
  return `${cpus().length} × ${model}, Node ${process.version}, ${process.platform}`;
}
