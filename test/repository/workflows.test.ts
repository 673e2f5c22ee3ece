import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { read, trackedFiles } from './tracked-files.ts';

interface Job {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly steps: readonly { readonly uses?: string; readonly run?: string; readonly with?: object }[];
}

describe.each(trackedFiles().filter((file) => file.startsWith('.github/workflows/')))('%s', (file) => {
  const { permissions, jobs } = parse(read(file));
  const steps = Object.values<Job>(jobs).flatMap((job) => job.steps);

  test('takes actions by their commit, and leaves no token in the checkout', () => {
    for (const { uses, with: options } of steps.filter((step) => step.uses !== undefined)) {
      expect(uses).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/);
      expect(options).toEqual({ 'persist-credentials': false });
    }
  });

  test('may read the sources, and write nothing but images where it makes them', () => {
    expect(permissions).toEqual({ contents: 'read' });
    for (const { permissions: own = {} } of Object.values<Job>(jobs)) {
      expect(Object.entries(own).filter(([of, right]) => right === 'write' && of !== 'packages')).toEqual([]);
    }
  });

  test('puts nothing into a script that whoever names a branch or a tag has chosen', () => {
    for (const { run = '' } of steps) expect(run).not.toContain('${{');
  });
});
