// The order of the folders of src, and the check that keeps it: `npm run lint` refuses an import that points up.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * From top to bottom: a folder may import itself and the folders below it only. A folder that is not listed
 * belongs to the nearest one above it that is; inside such a room only rings of imports are refused (biome.json).
 */
export const ORDER = [
  // The bot.
  'main.ts',
  'app',
  'commands',
  'commands/settings',
  'commands/voices',
  'commands/playback',
  'commands/owner',
  'commands/privacy',
  'commands/info',
  'commands/dictionary',
  'commands/say',
  'commands/voice-options',
  'commands/framework',
  'discord/servers',
  'discord/messages',
  'discord/moderation',
  'discord/client',
  'discord/channels',
  'discord/replies',
  'reading',
  // Programs of their own, reached by the bot over sockets or not at all.
  'doctor',
  'backup',
  'store',
  'playground',
  'playground/demo',
  'playground/demo/bot',
  'playground/page',
  'playground/demo/faults.ts',
  'playground/world',
  'playground/rest',
  'playground/people',
  'playground/gateway',
  'playground/state',
  'playground/voice',
  'playground/voice/listening',
  'playground/voice/channel.ts',
  'playground/voice/dave',
  'playground/voice/protocol.ts',
  'voices',
  'speech-service',
  'speech-service/dashboard',
  'speech-service/api',
  'speech-service/synthesis',
  'speech-service/store',
  'conformance',
  'conformance/rules',
  'conformance/framework',
  'cli',
  'cli/actions',
  'cli/speech',
  'cli/config',
  'cli/terminal',
  // The bot's parts, without Discord's interactions.
  'config',
  'services/local-voice',
  'services/privacy',
  'services/playback',
  'services/text',
  'services/text/readable',
  'services/voices',
  'services/servers',
  'services/queue',
  'services/synthesis',
  'services/spending',
  'services/cells',
  'services/storage',
  'services/monitoring',
  'services/presence',
  'services/time',
  'errors',
  'texts',
  'audio/making',
  'audio/making/decoding',
  'audio',
  'audio/connection',
  'audio/connection/packets',
  'audio/connection/dave.ts',
  'audio/playing',
  'audio/clips',
  'speech/client',
  'speech',
  'speech/engines',
  'speech/interface',
  'language',
  'sound',
  'network',
  'loopback-page',
  'process',
];

/** Folders that may import fewer than all below them: themselves, these, and why. The deepest entry counts. */
export const KNOWS = {
  discord: {
    rooms: ['discord', 'reading', 'config', 'services', 'errors', 'texts', 'audio/connection', 'speech', 'process'],
    why: 'Discord code answers and listens for the commands, which call it and are not called back.',
  },
  commands: {
    rooms: ['commands', 'discord', 'config', 'services', 'errors', 'texts', 'audio', 'speech', 'language', 'process'],
    why: 'A command answers an interaction; messages that are read aloud without one are the concern of reading.',
  },
  reading: {
    rooms: ['services', 'errors', 'texts', 'speech', 'language'],
    why: 'Reading decides over plain data which messages are spoken; Discord code hands that data in.',
  },
  config: {
    rooms: ['errors/operator-error.ts', 'services/servers', 'services/storage', 'speech', 'process'],
    why: 'The configuration is read before anything is opened: it knows what a folder, a limit and an address may be.',
  },
  'services/text/readable': {
    rooms: ['texts', 'speech/interface', 'language/faces.ts', 'services/time/slices.ts'],
    why: 'Making a text readable needs the text alone, and is handed when to pause.',
  },
  texts: { rooms: ['speech/interface'], why: 'The catalogs hold words and know what the models take.' },
  audio: {
    rooms: ['audio', 'sound', 'network', 'process'],
    why: 'Audio turns bytes into packets and knows of no queue, member or price.',
  },
  speech: {
    rooms: ['speech', 'network', 'process/nearest-word.ts'],
    why: 'The speech client is a library of its own, which the bot and the command line use.',
  },
  network: {
    rooms: [],
    why: 'Which address may be asked, and when again, is decided without knowing what comes from it.',
  },
  'loopback-page': { rooms: [], why: 'Who may open a page on loopback is decided without knowing what it shows.' },
  language: { rooms: [], why: 'The language of a text follows from its letters alone.' },
  sound: { rooms: [], why: 'Sound is arithmetic over bytes and samples, without I/O.' },
  doctor: {
    rooms: [
      'config',
      'services/storage',
      'services/time',
      'errors',
      'audio',
      'speech',
      'speech-service/synthesis/neural',
      'network',
      'process',
    ],
    why: 'The doctor examines the machine and starts nothing of the bot.',
  },
  playground: {
    rooms: ['playground', 'loopback-page', 'process'],
    why: 'The loopback Discord is reached over its sockets: what works against it must not depend on its code.',
  },
  'playground/demo': {
    rooms: ['playground', 'process', 'sound'],
    why: 'The prompt saves recordings with the arithmetic over sound, which is no code of the bot.',
  },
  'speech-service': {
    rooms: [
      'speech-service',
      'speech/engines',
      'speech/interface',
      'language',
      'sound',
      'network',
      'loopback-page',
      'process',
    ],
    why: 'The embedded service shares the schemas of the interface with its clients, the file of engines with the bot, and what is arithmetic over letters, sound and announced waits.',
  },
  voices: {
    rooms: ['speech-service/synthesis', 'cli/terminal', 'config', 'errors', 'sound', 'network', 'process'],
    why: 'The program installs voices for the speech service and tells the doctor nothing but what is in their folder.',
  },
  conformance: {
    rooms: ['speech', 'sound', 'network/connection-errors.ts', 'process'],
    why: 'Conformance tests any service from outside.',
  },
  cli: {
    rooms: ['cli', 'speech', 'language', 'sound', 'network', 'process'],
    why: 'The command line is packed without the bot.',
  },
};

/** Packages that only some folders import. */
export const PACKAGES = {
  '@discordjs/voice': {
    rooms: ['audio/connection'],
    why: 'Only audio/connection talks to the voice library, so that it can be replaced in one place.',
  },
  'discord.js': {
    rooms: ['app', 'commands', 'discord'],
    why: 'Other folders are handed plain data and ids.',
  },
  'espeak-ng': {
    rooms: ['speech-service/synthesis/embedded'],
    why: 'The synthesizer is under the GPL: only the separate program loads it.',
  },
};

/** @typedef {{ file: string, imported: string, why: string }} Refusal */

/**
 * @param {Iterable<{ file: string, imports: readonly string[] }>} files paths below src, with the specifiers they import
 * @returns {Refusal[]} every import that the order, KNOWS or PACKAGES forbid
 */
export function refusals(files) {
  return [...files].flatMap(({ file, imports }) =>
    imports.flatMap((specifier) => {
      const why = specifier.startsWith('.')
        ? whyNotFile(
            file,
            relative('.', join(dirname(file), specifier))
              .split(sep)
              .join('/'),
          )
        : whyNotPackage(file, specifier);
      return why === undefined ? [] : [{ file, imported: specifier, why }];
    }),
  );
}

function whyNotFile(file, imported) {
  const from = roomOf(file);
  const to = roomOf(imported);
  if (from === undefined) return `${dirname(file)} has no place in the order: add it to scripts/layers.mjs.`;
  if (to === undefined) return `${imported} is outside of the order in scripts/layers.mjs.`;
  if (from === to) return undefined;
  if (ORDER.indexOf(to) < ORDER.indexOf(from)) {
    return `${from} stands below ${to}: imports point down (the order is in scripts/layers.mjs, its reasons in ARCHITECTURE.md).`;
  }
  const limit = deepest(KNOWS, file);
  if (limit === undefined || isIn(imported, [limit.room, ...limit.rooms])) return undefined;
  return limit.why;
}

function whyNotPackage(file, specifier) {
  const limit = PACKAGES[Object.keys(PACKAGES).find((name) => specifier === name || specifier.startsWith(`${name}/`))];
  return limit === undefined || isIn(file, limit.rooms) ? undefined : limit.why;
}

/** The room a file belongs to: the nearest listed one; undefined where there is none. */
export function roomOf(file) {
  for (let path = file; path !== '.'; path = dirname(path)) if (ORDER.includes(path)) return path;
  return undefined;
}

function deepest(table, file) {
  for (let path = dirname(file); path !== '.'; path = dirname(path))
    if (table[path]) return { room: path, ...table[path] };
  return undefined;
}

function isIn(file, rooms) {
  return rooms.some((room) => file === room || file.startsWith(`${room}/`));
}

/** Every TypeScript file below a folder, with its static and dynamic imports. */
export function readImports(folder) {
  const files = readdirSync(folder, { recursive: true }).filter((file) => file.endsWith('.ts'));
  return files.map((name) => {
    const code = readFileSync(join(folder, name), 'utf8');
    const found = code.matchAll(
      /^\s*(?:import|export)\b[^;'"]*?\bfrom\s+'([^']+)'|^import\s+'([^']+)'|\bimport\('([^']+)'\)/gm,
    );
    return { file: name.split(sep).join('/'), imports: [...found].map(([, a, b, c]) => a ?? b ?? c) };
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const refused = refusals(readImports(resolve(process.argv[2] ?? join(import.meta.dirname, '..', 'src'))));
  for (const { file, imported, why } of refused) console.error(`src/${file} imports ${imported}\n  ${why}`);
  process.exitCode = refused.length > 0 ? 1 : 0;
}
