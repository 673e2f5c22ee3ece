import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, extname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SESSION_SCRIPT } from '../../loopback-page/session.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

interface StaticFile {
  readonly type: string;
  readonly bytes: Buffer;
}

function filesBelow(folder: string, at: string): [string, StaticFile][] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => TYPES[extname(name)] !== undefined && statSync(join(folder, name)).isFile())
    .map((name) => [
      `${at}${name.split(sep).join('/')}`,
      { type: TYPES[extname(name)] ?? '', bytes: readFileSync(join(folder, name)) },
    ]);
}

/** By path. Without anything secret: the page is handed to every program on this machine that asks for it. */
export function loadStaticFiles(): ReadonlyMap<string, StaticFile> {
  const own = filesBelow(fileURLToPath(new URL('./client', import.meta.url)), '/');
  // For browsers without a decoder for Opus that scripts can use.
  const libopus = filesBelow(dirname(fileURLToPath(import.meta.resolve('libopus-wasm'))), '/libopus/');
  const files = new Map([...own, ...libopus]);
  files.set('/session.js', { type: 'text/javascript; charset=utf-8', bytes: SESSION_SCRIPT });
  const index = files.get('/index.html');
  if (index) files.set('/', index);
  return files;
}
