/** For `describe.skipIf`: says why tests are skipped where a program is missing, and fails under continuous integration. */
export function isMissing(program: unknown, reason: string): boolean {
  if (program) return false;
  if (process.env.CI === 'true') throw new Error(reason);
  console.warn(`skipped: ${reason}`);
  return true;
}
