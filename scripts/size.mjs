// How large each module is beside what it may have (scripts/size.json): `npm run lint` refuses one that grew past its line.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const TABLE = new URL('size.json', import.meta.url);
/** Programs of their own; all else in src is the bot. */
const PROGRAMS = ['playground', 'loopback-page', 'speech-service', 'cli', 'conformance', 'doctor', 'voices'];
const TEXT = /\.(?:ts|mjs|js|css|html)$/;

const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', 'src', 'test', 'bench'], {
  cwd: fileURLToPath(new URL('..', import.meta.url)),
  encoding: 'utf8',
});
const files = listed
  .split('\n')
  .filter((path) => TEXT.test(path))
  .flatMap(read);

function read(path) {
  try {
    return [{ path, text: readFileSync(new URL(`../${path}`, import.meta.url), 'utf8') }];
  } catch (error) {
    // A file that is deleted and not committed yet is still listed.
    if (error.code === 'ENOENT') return [];
    throw error;
  }
}

/** `src/services/queue` and `src/commands/say` are modules of their own, as are the other folders of src, test and bench. */
function moduleOf(path) {
  const folders = path.split('/').slice(0, -1);
  return folders.slice(0, ['services', 'commands'].includes(folders[1]) && folders[0] === 'src' ? 3 : 2).join('/');
}

const count = (text) => text.split('\n').length - 1;
const sum = (some) => some.reduce((lines, { text }) => lines + count(text), 0);
const inSrc = files.filter(({ path }) => path.startsWith('src/'));
const ofBot = inSrc.filter(({ path }) => !PROGRAMS.includes(path.split('/')[1]));

const lines = {};
for (const { path, text } of files) lines[moduleOf(path)] = (lines[moduleOf(path)] ?? 0) + count(text);
const totals = {
  'the bot': sum(ofBot),
  'all of src': sum(inSrc),
  'all of test': sum(files.filter(({ path }) => path.startsWith('test/'))),
  'all of bench': sum(files.filter(({ path }) => path.startsWith('bench/'))),
};

/** How many matches there are in src. */
const inAll = (pattern) => inSrc.reduce((found, { text }) => found + (text.match(pattern)?.length ?? 0), 0);

/** Names that src imports, by file: how many files import each export. */
function importers() {
  const byName = new Map();
  for (const { path, text } of inSrc) {
    for (const [, names, from] of text.matchAll(/^(?:import|export) (?:type )?\{([^}]*)\} from '(\.[^']+)'/gm)) {
      const file = new URL(from, `file:///${path}`).pathname.slice(1);
      for (const name of names.split(',').map(
        (each) =>
          each
            .trim()
            .replace(/^type /, '')
            .split(' as ')[0],
      )) {
        if (name) byName.set(`${file} ${name}`, (byName.get(`${file} ${name}`) ?? 0) + 1);
      }
    }
  }
  return byName;
}

const imported = [...importers().values()];
const fieldsOf = (path, name) => {
  const text = files.find((file) => file.path === path)?.text ?? '';
  const body = text.split(new RegExp(`export interface ${name}\\b[^{]*\\{\\n`))[1]?.split('\n}')[0] ?? '';
  return body.match(/^ {2}(?:readonly )?\w+\??:/gm)?.length ?? 0;
};
const measured = {
  'Services fields': fieldsOf('src/commands/framework/command.ts', 'Services'),
  'Pick< and Omit<': inAll(/\b(?:Pick|Omit)</g),
  // Of objects: a list that is put together from parts hides no field.
  'conditional spreads': inAll(/\.\.\.\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*?(?:&&|\?|:)\s*\{/g),
  'optional fields': inAll(/^\s+(?:readonly )?\w+\?:/gm),
  'exports with one importer, %': Math.round((100 * imported.filter((n) => n === 1).length) / imported.length),
};

const all = { ...totals, ...measured, ...lines };
if (process.argv.includes('--write')) {
  const sorted = Object.keys(lines).sort();
  // Rounded up, so that two small changes of one module do not meet in one line of the table.
  const room = (key) => (key in measured ? all[key] : Math.ceil((all[key] + 1) / 25) * 25);
  const table = Object.fromEntries(
    [...Object.keys(totals), ...Object.keys(measured), ...sorted].map((key) => [key, room(key)]),
  );
  writeFileSync(TABLE, `${JSON.stringify(table, undefined, 2)}\n`);
}
const table = JSON.parse(readFileSync(TABLE, 'utf8'));
let grew = false;
for (const [name, is] of Object.entries(all)) {
  const most = table[name] ?? 0;
  if (is <= most) continue;
  grew = true;
  console.error(
    `${name}: ${is}, at most ${most}. Make it smaller, or raise its line in scripts/size.json and say why in the commit.`,
  );
}
const shown = { ...totals, ...measured };
console.log(
  Object.entries(shown)
    .map(([name, is]) => `${name} ${is}`)
    .join(', '),
);
if (process.argv.includes('--all'))
  for (const [name, is] of Object.entries(lines).sort()) console.log(`${is}\t${name}`);
if (grew) process.exitCode = 1;
