import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BotLogLine } from '../src/playground/demo/bot/bot-process.ts';
import { startWorld, type World } from '../src/playground/world/world.ts';
import { flagsOrExit } from '../src/process/flags.ts';
import { startSpeechService } from '../src/speech-service/server.ts';
import { type Alive, startProbedBot } from './probed-bot.ts';
import { median, percentile } from './stats.ts';

const USAGE = `Usage: npm run soak -- [--minutes N] [--utterances N]

The real bot on the loopback Discord, with the embedded speech service: texts in many servers, evenly over the time, with
joining and leaving, in rounds. Between two of them nothing is under way, and what is alive in the bot's process is counted.
Afterwards: what grew. Ends with 1 when something did.
--minutes N     default 60
--utterances N  default 20,000, fewer when the time is over before`;

const KEY = 'soak-key-0123456789abcdef';
/**
 * Three words make a text: 21,952 texts of about equal length, so that cached audio does not grow with their number.
 */
const WORDS =
  'bread chair cloud dance dream field flame fruit glass grass green horse house light march north paint plant queen sheep shore skirt smile south spoon storm train white'.split(
    ' ',
  );
/** Has no common divisor with the number of texts: neighboring texts share no word, and no text repeats. */
const STRIDE = 7_919;
const READY_TIMEOUT_MS = 60_000;
/** The wait for a join (the bot sends Discord fewer than 120 a minute), the previous text and its own speech. */
const UTTERANCE_TIMEOUT_MS = 100_000;
/**
 * A member sends the bot away after this many texts. At full speed that is about 17 times a minute, each followed by a
 * join.
 */
const VISITS = 40;
const SERVERS = 200;
/**
 * Rooms that speak at the same time: the loopback Discord decrypts and decodes all of them on the machine's other core.
 */
const SPEAKING_AT_ONCE = 60;
/** Every fourth text is one of these and comes from the cache. */
const REPEATED_TEXTS = 50;
/** The texts are split into rounds, with a reading after each round. */
const ROUNDS = 40;
/** Replies and paced edits arrive shortly after the last audio. */
const SETTLE_MS = 2_000;
/** The rest before the readings after the warm-up and at the end: idle connections stay open for 90 s. */
const REST_MS = 100_000;
/** In credits: 20,000 texts cost more than the default limits of a day. */
const NO_LIMIT = '1000000000';
/** The warm-up, which is not judged: code is compiled, caches fill, and each server stores its last five texts. */
const WARM_UP_SHARE = 0.25;
const WARM_UP_MINUTES = 8;

/** The figures of the bot's process that show a leak. */
interface Reading extends Alive {
  readonly atMs: number;
  readonly spoken: number;
  /** The number of voice channels that the bot is in: sometimes a member sends the bot away. */
  readonly channels: number;
  /** True if no idle connection was open. */
  readonly isRested: boolean;
}

/** A voice connection has two sockets (gateway and UDP) and two heartbeat timers. */
const OF_A_CHANNEL = 2;

/** The heap without compiled code: compiled code grows for hours as functions become hot, then stays. */
const dataMb = ({ heapMb, compiledMb }: Reading) => heapMb - compiledMb;

interface Spoken {
  readonly atMs: number;
  readonly firstPacketMs: number;
  /** True if the bot had to join first. */
  readonly joined: boolean;
}

/** The bot greets in each new server, and Discord allows 50 requests a second. */
const BETWEEN_SERVERS_MS = 50;

async function openRooms(world: World) {
  const rooms = [];
  for (let index = 0; index < SERVERS; index++) {
    const server = world.newServer(`Server ${index + 1}`);
    const member = server.newMember(`member-${index + 1}`);
    // Spreads the moments at which members send the bot away.
    rooms.push({ server, member, listener: member.joins('General'), visits: index % VISITS, isJoined: false });
    await sleep(BETWEEN_SERVERS_MS);
  }
  return rooms;
}

function textOf(number: number): string {
  const at = number * STRIDE;
  const size = WORDS.length;
  return [at % size, Math.floor(at / size) % size, Math.floor(at / size ** 2) % size]
    .map((word) => WORDS[word])
    .join(' ');
}

type Room = Awaited<ReturnType<typeof openRooms>>[number];

async function speakIn(room: Room, words: string): Promise<Omit<Spoken, 'atMs'>> {
  const { member, listener } = room;
  const joined = !room.isJoined;
  listener.clear();
  const sent = await member.types(`/say text:${words}`);
  const heard = await listener.utterance({ timeoutMs: UTTERANCE_TIMEOUT_MS });
  await sent.reply({ timeoutMs: UTTERANCE_TIMEOUT_MS });
  listener.clear();
  room.isJoined = true;
  room.visits += 1;
  if (!heard.endToEndEncrypted) throw new Error(`Heard without end-to-end encryption: ${words}`);
  if (room.visits % VISITS === 0) {
    await (await member.types('/leave')).reply({ timeoutMs: UTTERANCE_TIMEOUT_MS });
    room.isJoined = false;
  }
  return { firstPacketMs: (heard.packets[0]?.atMs ?? Number.NaN) - sent.sentAtMs, joined };
}

/** The growth of a figure in an hour, by least squares. */
function growthByHour(readings: readonly Reading[], of: (reading: Reading) => number): number {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const hours = readings.map(({ atMs }) => atMs / 3_600_000);
  const [meanHours, meanOf] = [mean(hours), mean(readings.map(of))];
  const offsets = hours.map((at) => at - meanHours);
  const spread = offsets.reduce((sum, offset) => sum + offset ** 2, 0);
  return readings.reduce((sum, reading, i) => sum + (offsets[i] ?? 0) * (of(reading) - meanOf), 0) / spread;
}

async function soak({ minutes, utterances }: { readonly minutes: number; readonly utterances: number }) {
  const temporary = mkdtempSync(join(tmpdir(), 'crier-soak-'));
  const service = await startSpeechService({
    dataDir: join(temporary, 'speech'),
    apiKey: KEY,
    requestsPerMinute: 1_000_000,
  });
  const world = await startWorld();
  const logged: BotLogLine[] = [];
  const { bot, alive } = startProbedBot(
    {
      ...world.botEnv,
      VOICE_API_URL: service.url,
      VOICE_API_KEY: KEY,
      DATA_DIR: join(temporary, 'bot'),
      // A small cache is full within the warm-up: filling it later would look like growth.
      AUDIO_CACHE_MB: '2',
      LOG_LEVEL: 'warn',
      SPENDING_PER_DAY: NO_LIMIT,
      SPENDING_PER_SERVER_PER_DAY: NO_LIMIT,
      SPENDING_PER_MEMBER_PER_DAY: NO_LIMIT,
    },
    (line) => logged.push(line),
  );
  const failures: string[] = [];
  const spoken: Spoken[] = [];
  const readings: Reading[] = [];
  try {
    await world.botReady({ timeoutMs: READY_TIMEOUT_MS });
    const rooms = await openRooms(world);
    const startedAtMs = performance.now();
    const elapsedMs = () => performance.now() - startedAtMs;
    const lengthMs = minutes * 60_000;
    const read = async (isRested: boolean) => {
      await sleep(isRested ? REST_MS : SETTLE_MS);
      const channels = rooms.filter(({ isJoined }) => isJoined).length;
      readings.push({ ...(await alive()), atMs: elapsedMs(), spoken: spoken.length, channels, isRested });
      console.error(describe(readings.at(-1) as Reading, spoken, failures.length));
    };
    let started = 0;
    const ownRooms = Array.from({ length: SPEAKING_AT_ONCE }, (_, line) =>
      rooms.filter((_, index) => index % SPEAKING_AT_ONCE === line),
    );
    const speakInTurn = async (own: Room[], until: number) => {
      while (started < until && elapsedMs() < lengthMs) {
        const number = started++;
        // Spreads the texts evenly over the duration.
        await sleep(Math.max(0, (number / utterances) * lengthMs - elapsedMs()));
        const words = textOf(number % 4 === 0 ? number % REPEATED_TEXTS : number);
        const room = own.shift() as Room;
        own.push(room);
        await speakIn(room, words).then(
          (result) => spoken.push({ atMs: elapsedMs(), ...result }),
          (error: unknown) => failures.push(`${room.server.guildId}: ${String(error)}`),
        );
      }
    };
    for (let round = 1; round <= ROUNDS && elapsedMs() < lengthMs; round++) {
      const until = Math.ceil((round / ROUNDS) * utterances);
      await Promise.all(ownRooms.map((own) => speakInTurn(own, until)));
      await read(elapsedMs() >= warmUpMs(lengthMs) && !readings.some(({ isRested }) => isRested));
    }
    await read(true);
    return { readings, spoken, failures, logged, lengthMs: elapsedMs() };
  } finally {
    await bot.stop();
    await world.close();
    await service.close();
    rmSync(temporary, { recursive: true, force: true });
  }
}

/** In a run that is shorter than the warm-up, the second half is judged. */
const warmUpMs = (lengthMs: number) =>
  Math.min(lengthMs / 2, Math.max(WARM_UP_SHARE * lengthMs, WARM_UP_MINUTES * 60_000));

const inMinutes = (ms: number) => (ms / 60_000).toFixed(1);

function describe(reading: Reading, spoken: readonly Spoken[], failed: number): string {
  const recent = spoken.slice(-500).map(({ firstPacketMs }) => firstPacketMs);
  return [
    `${inMinutes(reading.atMs)} min`,
    `${spoken.length} spoken, ${failed} failed`,
    `memory ${dataMb(reading).toFixed(1)} MB and ${reading.compiledMb.toFixed(1)} MB of compiled code (resident ${reading.rssMb.toFixed(0)})`,
    `${reading.descriptors} descriptors, ${reading.handles} handles, ${reading.timers} timers, ${reading.listeners} listeners, in ${reading.channels} channels`,
    `first packet p95 ${percentile(recent, 0.95).toFixed(0)} ms`,
  ].join('; ');
}

/** Prints what grew after the warm-up. Returns true if nothing grew too much. */
function judge({ readings, spoken, failures, logged, lengthMs }: Awaited<ReturnType<typeof soak>>): boolean {
  const fromMs = warmUpMs(lengthMs);
  const middleMs = (fromMs + lengthMs) / 2;
  const warm = readings.filter(({ atMs }) => atMs >= fromMs);
  const quarter = Math.ceil(warm.length / 4);
  const rows: [figure: string, value: string, wanted: string, isMet: boolean][] = [];
  /** Compares the medians of the first and last quarter of the readings, because idle connections come and go. */
  const rises = (figure: string, of: (reading: Reading) => number, most: number) => {
    const by = median(warm.slice(-quarter).map(of)) - median(warm.slice(0, quarter).map(of));
    rows.push([`${figure}, from the first to the last quarter`, by.toFixed(1), `≤ ${most}`, by <= most]);
  };
  const p95 = (from: number, to: number, joined: boolean) => {
    const here = spoken.filter((one) => one.joined === joined && one.atMs >= from && one.atMs < to);
    const ms = here.map(({ firstPacketMs }) => firstPacketMs);
    return percentile(ms, 0.95);
  };
  const byHour = growthByHour(warm, dataMb);
  const compiled = growthByHour(warm, ({ compiledMb }) => compiledMb);
  const growth = "memory after a collection, growth in an hour (V8's compiled code apart)";
  rows.push([growth, `${byHour.toFixed(2)} MB (${compiled.toFixed(2)} MB)`, '≤ 1 MB', byHour <= 1]);
  rises('memory after a collection, MB', dataMb, 1);
  const rested = readings.filter(({ isRested }) => isRested);
  const [after, end] = [rested[0]?.descriptors ?? Number.NaN, rested.at(-1)?.descriptors ?? Number.NaN];
  const atRest = 'file descriptors at rest, after the warm-up and at the end';
  rows.push([atRest, `${after} / ${end}`, '≤ 5 more', end - after <= 5]);
  const besideChannels = (count: number, { channels }: Reading) => count - OF_A_CHANNEL * channels;
  const handles = 'sockets and other handles, without those of voice channels';
  rises(handles, (reading) => besideChannels(reading.handles, reading), 5);
  rises('timers, in the same way', (reading) => besideChannels(reading.timers, reading), 5);
  rises("listeners on the process's events", ({ listeners }) => listeners, 0);
  for (const joined of [false, true]) {
    const [early, late] = [p95(fromMs, middleMs, joined), p95(middleMs, lengthMs, joined)];
    const figure = `first packet p95${joined ? ' with joining' : ''}, early and late`;
    rows.push([figure, `${early.toFixed(0)} / ${late.toFixed(0)} ms`, '≤ 1.25 × the early one', late <= 1.25 * early]);
  }
  rows.push(['texts not heard', String(failures.length), '0', failures.length === 0]);
  // Node prints its own warnings, such as about leaking listeners, as lines without a level.
  const isError = ({ level, msg }: BotLogLine) =>
    level === undefined ? /Warning|Error/.test(String(msg)) : level >= 50;
  const errors = logged.filter(isError).length;
  rows.push(['errors in the log', String(errors), '0', errors === 0]);
  console.log(
    `${spoken.length} utterances in ${inMinutes(lengthMs)} min, judged from minute ${inMinutes(fromMs)} on\n`,
  );
  console.log('| figure | value | wanted | |\n|---|---|---|---|');
  for (const row of rows) console.log(`| ${row.slice(0, 3).join(' | ')} | ${row[3] ? 'met' : 'missed'} |`);
  for (const failure of failures.slice(0, 10)) console.error(failure);
  return rows.every(([, , , isMet]) => isMet);
}

const { values } = flagsOrExit(USAGE, { options: { minutes: { type: 'string' }, utterances: { type: 'string' } } });
const [minutes, utterances] = [Number(values.minutes ?? 60), Number(values.utterances ?? 20_000)];
if (minutes > 0 && utterances > 0) {
  process.exitCode = judge(await soak({ minutes, utterances })) ? 0 : 1;
} else {
  console.error(USAGE);
  process.exitCode = 2;
}
