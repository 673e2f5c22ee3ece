import { readFileSync } from 'node:fs';
import Module, { createRequire } from 'node:module';
import { pino } from 'pino';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { misfitsOf, READ_VERSIONS, reportLibrary } from '../../../../src/audio/connection/library/borrowed.ts';
import { packetsOf } from '../../opus-sounds.ts';
import { speechLike } from '../../sounds.ts';
import { knownState } from './known-state.ts';

const file = createRequire(import.meta.url).resolve('@discordjs/voice');

/** The installed library with fields or methods of other names, which it uses consistently itself. */
function loadRenamed(renames: readonly (readonly [RegExp, string])[]): object {
  let source = readFileSync(file, 'utf8');
  for (const [from, to] of renames) {
    const renamed = source.replace(from, to);
    if (renamed === source) throw new Error(`${from} is not in the library`);
    source = renamed;
  }
  const library = new Module(file) as Module & { _compile(source: string, file: string): void };
  Object.assign(library, { filename: file, paths: createRequire(file).resolve.paths('x') });
  library._compile(source, file);
  return library.exports as object;
}

const speech = await packetsOf(speechLike(24_000, 0.3));

interface LogLine {
  msg: string;
  misfits?: string[];
}

/** A log whose lines can be read. */
function readableLog() {
  const lines: LogLine[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(JSON.parse(line) as LogLine) });
  return { log, lines };
}

const whole = (name: string): [RegExp, string][] => [[new RegExp(`\\b${name}\\b`, 'g'), `${name}Renamed`]];

const DAVE: [RegExp, string][] = [
  [/state\.dave\b/g, 'state.group'],
  [/dave: this\./g, 'group: this.'],
];

/** A counter, a socket, and the group. */
const ITEMS: readonly [misfit: string, renames: [RegExp, string][], call?: 'stage'][] = [
  ['nonce', whole('nonce')],
  ['udp.keepAlive', whole('keepAlive'), 'stage'],
  ['dave', DAVE],
];

afterEach(() => {
  vi.doUnmock('@discordjs/voice');
  vi.resetModules();
});

describe('a field of the library with another name', () => {
  test.each(ITEMS)(
    '%s: packets are sent by the public method, heard, and announced once',
    async (misfit, renames, call) => {
      vi.resetModules();
      vi.doMock('@discordjs/voice', () => loadRenamed(renames));
      const { startVoiceWorld } = await import('../voice-world.ts');
      const { clipFromPackets } = await import('../../../../src/audio/clips/clip.ts');
      const world = await startVoiceWorld();
      try {
        const { log, lines } = readableLog();
        // Longer than the test may take, where nothing waits for a group that is there.
        world.configure({ encryptionTimeoutMs: call === 'stage' ? 500 : 60_000 }, { log });
        if (call === 'stage') world.makeStage();
        const listener = world.listens();
        const session = await world.join();
        const clip = clipFromPackets(speech);
        await session.play(clip);
        await expect
          .poll(() => listener.heard().packets.length, { timeout: 5_000 })
          .toBeGreaterThanOrEqual(speech.length);
        const { unencryptedFrames, undecryptableFrames, endToEndEncrypted, packets } = listener.heard();
        expect({ unencryptedFrames, undecryptableFrames }).toEqual({ unencryptedFrames: 0, undecryptableFrames: 0 });
        expect(endToEndEncrypted).toBe(call !== 'stage');
        expect(packets.filter(({ audible }) => audible).length).toBeGreaterThan(speech.length / 2);
        for (const [i, packet] of packets.slice(1).entries())
          expect((packet.sequence - (packets[i]?.sequence ?? 0)) & 0xffff).toBe(1);
        expect(world.server.faults).toEqual([]);
        expect(lines.filter(({ misfits }) => misfits).map(({ misfits }) => misfits)).toEqual([
          expect.arrayContaining([misfit]),
        ]);
      } finally {
        await world.close();
      }
    },
    20_000,
  );
});

test('the versions whose insides were read are asked for exactly, in package.json and in the lock file', () => {
  const root = new URL('../../../../', import.meta.url);
  const { dependencies } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));
  const { packages } = JSON.parse(readFileSync(new URL('package-lock.json', root), 'utf8'));
  for (const [name, version] of Object.entries(READ_VERSIONS)) {
    expect([
      name,
      dependencies[name],
      packages[''].dependencies[name],
      packages[`node_modules/${name}`].version,
    ]).toEqual([name, version, version, version]);
  }
});

test('each borrowed field that is missing is named; a state that has all of them fits', () => {
  expect(misfitsOf(knownState() as never)).toEqual([]);
  for (const part of ['connectionData', 'connectionOptions', 'dave', 'udp', 'ws'] as const) {
    const names = part === 'ws' ? ['onMessage'] : Object.keys(knownState()[part]);
    for (const name of names) {
      const state = knownState();
      Reflect.deleteProperty(state[part], name);
      expect(misfitsOf(state as never)).toEqual([part.startsWith('connection') ? name : `${part}.${name}`]);
    }
  }
  expect(misfitsOf({} as never)).toEqual(expect.arrayContaining(['nonce', 'udp.socket', 'dave', 'ws']));
});

test('another version of the library is reported at the start', () => {
  const { log, lines } = readableLog();
  reportLibrary(log);
  expect(lines).toEqual([]);
  reportLibrary(log, { version: '0.19.3', missing: ['DAVESession.encrypt'] });
  expect(lines).toEqual([expect.objectContaining({ version: '0.19.3', missing: ['DAVESession.encrypt'] })]);
});
