/**
 * The least CPU time of several runs, in milliseconds: what else the machine does, and what is compiled meanwhile, is
 * not the text's fault.
 */
export async function leastCpuMs(run: () => unknown, runs = 6): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let count = 0; count < runs; count++) {
    const before = process.cpuUsage();
    await run();
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1_000);
  }
  return least;
}
