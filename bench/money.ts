import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type BotProcess, startBotProcess } from '../src/playground/demo/bot/bot-process.ts';
import { startWorld, type World } from '../src/playground/world/world.ts';
import { flagsOrExit } from '../src/process/flags.ts';
import { NODE_FLAGS } from '../src/process/node-flags.ts';
import { createLedger as createBotLedger } from '../src/services/spending/ledger.ts';
import { DATABASE_FILE, openDatabase, sqlOf } from '../src/services/storage/database.ts';
import { SpeechApiError } from '../src/speech-service/api/api-error.ts';
import { STARTING_CREDITS } from '../src/speech-service/server.ts';
import { openLedgerDatabase } from '../src/speech-service/store/database.ts';
import { createLedger } from '../src/speech-service/store/ledger.ts';

const USAGE = `Usage: npm run test:money -- [--utterances N] [--kills N]

The real bot, the embedded speech service and, between them, a network that is as bad as it gets: 5 % of the requests are
answered 503, of 2 % the answer is lost after they were billed, of 2 % the audio never arrives, 1 % are slow; bot and
service are killed in turn. Afterwards: every text that was billed against what was heard and what its requester was told.
Ends with 1 when a text was billed twice, or a difference has no name.
--utterances N  default 10,000
--kills N       default 10, half of them the bot's`;

const KEY = 'money-key-0123456789abcdef';
const ROOMS = 60;
const SPEAKING_AT_ONCE = 20;
const READY_TIMEOUT_MS = 60_000;
/** Covers a text that the service rejects for a while, and the texts before that text. */
const REPLY_TIMEOUT_MS = 120_000;
const SLOW_MS = 4_000;
const COOLDOWN_MS = 2_000;
/** A restarted bot speaks its recovered texts within this time. */
const COMES_BACK_MS = 15_000;

/** The share of requests with each fault, in this order. */
const FAULTS = { unavailable: 0.05, 'lost answer': 0.02, 'lost audio': 0.02, slow: 0.01 } as const;
type Fault = keyof typeof FAULTS;

interface Text {
  readonly faults: Set<Fault | 'bot killed' | 'service killed'>;
  /** The credits of each billed request, read from the service's responses. */
  readonly bills: number[];
  isHeard: boolean;
  /** The last reply that the text's requester saw. */
  told: string | undefined;
}

const drawFault = (): Fault | undefined => {
  let draw = Math.random();
  for (const [fault, share] of Object.entries(FAULTS) as [Fault, number][]) {
    if (draw < share) return fault;
    draw -= share;
  }
  return undefined;
};

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listen(server);
  server.close();
  await once(server, 'close');
  return port;
}

/** Starts a proxy between the bot and the service that injects each text's faults and records its bills. */
async function startNetwork(texts: ReadonlyMap<string, Text>, ports: { api: number; audio: number }) {
  const lostAudio = new Set<string>();

  const forward = (from: IncomingMessage, body: Buffer, port: number) =>
    new Promise<{ status: number; headers: IncomingMessage['headers']; bytes: Buffer }>((resolve, reject) => {
      const { method, url, headers } = from;
      const to = request({ host: '127.0.0.1', port, method, path: url, headers, agent: false }, (answer) => {
        buffer(answer).then(
          (bytes) => resolve({ status: answer.statusCode ?? 502, headers: answer.headers, bytes }),
          reject,
        );
      });
      to.on('error', reject);
      to.end(body);
    });

  const serve = (handle: (request: IncomingMessage, response: ServerResponse, body: Buffer) => Promise<void>) =>
    createServer((from, response) => {
      buffer(from)
        .then((body) => handle(from, response, body))
        // Like a dead service: the connection ends without an answer.
        .catch(() => response.destroy());
    });

  const api = serve(async (from, response, body) => {
    const isSpeech = from.method === 'POST';
    const text = isSpeech ? texts.get((JSON.parse(body.toString()) as { input: string }).input) : undefined;
    const fault = text && drawFault();
    if (fault) text.faults.add(fault);
    if (fault === 'unavailable') {
      const error = new SpeechApiError('provider_unavailable', 'Down for a moment.');
      response.writeHead(error.status, { 'content-type': 'application/json' }).end(JSON.stringify(error.body()));
      return;
    }
    const answer = await forward(from, body, ports.api).catch((error: unknown) => {
      text?.faults.add('service killed');
      throw error;
    });
    if (isSpeech && answer.status === 200) {
      const { credits_used: credits, url } = JSON.parse(answer.bytes.toString()) as {
        credits_used: number;
        url: string;
      };
      text?.bills.push(credits);
      if (fault === 'lost answer') {
        response.destroy();
        return;
      }
      if (fault === 'lost audio') lostAudio.add(new URL(url).pathname);
      if (fault === 'slow') await sleep(SLOW_MS);
    }
    response.writeHead(answer.status, answer.headers).end(answer.bytes);
  });
  const audio = serve(async (from, response, body) => {
    if (lostAudio.has(new URL(from.url ?? '/', 'http://audio').pathname)) {
      response.writeHead(404).end();
      return;
    }
    const answer = await forward(from, body, ports.audio);
    response.writeHead(answer.status, answer.headers).end(answer.bytes);
  });
  return {
    apiUrl: `http://127.0.0.1:${await listen(api)}`,
    audioUrl: `http://127.0.0.1:${await listen(audio)}`,
    close() {
      for (const server of [api, audio]) {
        server.close();
        server.closeAllConnections();
      }
    },
  };
}

async function startService(dataDir: string, ports: { api: number; audio: number }, audioUrl: string) {
  const args = [dataDir, String(ports.api), String(ports.audio), audioUrl];
  const child = fork(fileURLToPath(new URL('./money-service.ts', import.meta.url)), args, {
    execArgv: [...NODE_FLAGS],
    env: { ...process.env, SPEECH_SERVICE_KEY: KEY },
  });
  await once(child, 'message', { signal: AbortSignal.timeout(READY_TIMEOUT_MS) });
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

function openRooms(world: World) {
  return Array.from({ length: ROOMS }, (_, index) => {
    const server = world.newServer(`Server ${index + 1}`);
    const member = server.newMember(`member-${index + 1}`);
    return { member, listener: member.joins('General') };
  });
}

type Room = ReturnType<typeof openRooms>[number];

/** Speaks a text in a room. Waits until the requester sees how it ended, or until the bot is killed. */
async function say(room: Room, words: string, text: Text, killed: AbortSignal): Promise<void> {
  room.listener.clear();
  let sent = await room.member.types(`/say text:${words}`);
  const answered = () =>
    sent.reply({ timeoutMs: REPLY_TIMEOUT_MS, signal: killed }).catch((error: unknown) => {
      if (!killed.aborted) throw error;
      text.faults.add('bot killed');
      return undefined;
    });
  let reply = await answered();
  // After several failures at once: a member may have five texts spoken in ten seconds.
  while (reply?.text.startsWith('Too fast')) {
    await sleep(COOLDOWN_MS);
    sent = await room.member.types(`/say text:${words}`);
    reply = await answered();
  }
  // The listener must also hear texts that a restarted bot recovers.
  if (!reply) await sleep(COMES_BACK_MS);
  text.told = reply?.text ?? sent.replies.findLast(({ deleted }) => !deleted)?.text;
  text.isHeard = room.listener.heard().packets.some(({ audible }) => audible);
  room.listener.clear();
}

async function run({ utterances, kills }: { utterances: number; kills: number }) {
  const temporary = mkdtempSync(join(tmpdir(), 'crier-money-'));
  const folders = { speech: join(temporary, 'speech'), bot: join(temporary, 'bot') };
  const ports = { api: await freePort(), audio: await freePort() };
  const texts = new Map<string, Text>();
  const network = await startNetwork(texts, ports);
  let service = await startService(folders.speech, ports, network.audioUrl);
  const world = await startWorld();
  const startBot = async (): Promise<BotProcess> => {
    const started = startBotProcess({
      env: {
        ...world.botEnv,
        VOICE_API_URL: network.apiUrl,
        VOICE_API_KEY: KEY,
        DATA_DIR: folders.bot,
        LOG_LEVEL: 'info',
        // The default limit would be used up after about 8,000 texts.
        SPENDING_PER_DAY: '100000000',
      },
    });
    await started.logged(({ msg }) => msg === 'Crier is ready', READY_TIMEOUT_MS);
    return started;
  };
  let bot = await startBot();
  try {
    const rooms = openRooms(world);
    let killed = new AbortController();
    let begun = 0;
    let restarting: Promise<void> | undefined;
    const killNext = async (number: number) => {
      if (number % 2 === 0) {
        await kill(service);
        await sleep(1_000);
        service = await startService(folders.speech, ports, network.audioUrl);
        return;
      }
      bot.signal('SIGKILL');
      await bot.ended;
      killed.abort();
      killed = new AbortController();
      bot = await startBot();
    };
    const speakInTurn = async (own: readonly Room[]) => {
      for (let turn = 0; begun < utterances; turn++) {
        const number = begun++;
        const due = Math.floor((number * (kills + 1)) / utterances);
        if (due > Math.floor(((number - 1) * (kills + 1)) / utterances) && due > 0) restarting = killNext(due);
        // While the bot restarts, every second text waits for it, as real members would.
        if (restarting && due % 2 === 1) await restarting;
        const words = `This is text number ${number}.`;
        const text: Text = { faults: new Set(), bills: [], isHeard: false, told: undefined };
        texts.set(words, text);
        await say(own[turn % own.length] as Room, words, text, killed.signal);
        if (number % 500 === 0) console.error(`${number} of ${utterances} texts`);
      }
    };
    await Promise.all(
      Array.from({ length: SPEAKING_AT_ONCE }, (_, line) =>
        speakInTurn(rooms.filter((_, index) => index % SPEAKING_AT_ONCE === line)),
      ),
    );
    await restarting;
    const owner = await (await world.member('olga').types('/owner spending', { in: '@bot' })).reply({
      timeoutMs: READY_TIMEOUT_MS,
    });
    await bot.stop();
    await kill(service);
    return { texts, ...readLedgers(folders), owner: owner.text };
  } finally {
    await bot.stop();
    if (service.exitCode === null && service.signalCode === null) await kill(service);
    await world.close();
    network.close();
    rmSync(temporary, { recursive: true, force: true });
  }
}

function readLedgers(folders: { speech: string; bot: string }) {
  const database = openLedgerDatabase(folders.speech);
  const ledger = createLedger(database, { startingCredits: STARTING_CREDITS, now: () => new Date() });
  // Refunds charges that a crash interrupted, as the service does at each start.
  ledger.closeAllOpen(() => false);
  const billed = STARTING_CREDITS - ledger.account().creditsLeft;
  database.close();
  return { billed, counting: countedIn(join(folders.bot, DATABASE_FILE)) };
}

/** The bot's own figures: all counted credits, and the part that it assumes for requests with an unknown bill. */
async function countedIn(file: string) {
  const sql = sqlOf(openDatabase(file));
  const ledger = createBotLedger(sql);
  try {
    const { millicredits } = await ledger.used({ guildId: '', userId: '' }, '0000', '9999');
    const unknown = await ledger.unknownOn(new Date().toISOString().slice(0, 10));
    return { all: millicredits / 1000, unknown: { ...unknown, credits: unknown.millicredits / 1000 } };
  } finally {
    await sql.close();
  }
}

const TELLS_COST = /credit/i;

async function judge({ texts, billed, counting, owner }: Awaited<ReturnType<typeof run>>): Promise<boolean> {
  const counted = await counting;
  const groups = new Map<string, { texts: number; billed: number; untold: number }>();
  let twice = 0;
  for (const [words, { bills, faults, isHeard, told }] of texts) {
    const isBilled = bills.length > 0;
    const because = [...faults].sort().join(' + ') || 'no fault';
    const name = `${isBilled ? 'billed' : 'not billed'}, ${isHeard ? 'heard' : 'not heard'}: ${because}`;
    // The reply to a text that was billed but not heard must tell its cost, or that the cost is unknown.
    const isUntold = isBilled && !isHeard && !TELLS_COST.test(told ?? '');
    const group = groups.get(name) ?? { texts: 0, billed: 0, untold: 0 };
    group.texts += 1;
    group.billed += bills.reduce((sum, bill) => sum + bill, 0);
    if (isUntold) group.untold += 1;
    groups.set(name, group);
    if (bills.length > 1) twice += 1;
    const isUnexplained = isBilled && !isHeard && faults.size === 0;
    if (isUntold || isUnexplained || bills.length > 1)
      console.error(`${name}, ${bills.length} bills: ${words} ${told}`);
  }
  console.log('| texts | billed credits | requester not told the cost | |\n|---|---|---|---|');
  for (const [name, group] of [...groups].sort(([, a], [, b]) => b.texts - a.texts)) {
    console.log(`| ${group.texts} | ${group.billed} | ${group.untold} | ${name} |`);
  }
  const sum = (of: 'billed' | 'untold') => [...groups.values()].reduce((all, group) => all + group[of], 0);
  const settled = counted.all - counted.unknown.credits;
  console.log(`
Billed twice: ${twice}. Billed by the service: ${billed}, of which ${sum('billed')} were seen on the way.
Counted by the bot: ${counted.all}, of which ${settled} by bills it got, and ${counted.unknown.credits} as expected for
${counted.unknown.requests} requests whose bill it does not know, for which the service billed ${billed - settled}.

The owner reads:
${owner}`);
  const isExplained = twice === 0 && sum('untold') === 0 && !groups.has('billed, not heard: no fault');
  return isExplained && settled <= billed && counted.all >= billed;
}

const { values } = flagsOrExit(USAGE, {
  options: { utterances: { type: 'string' }, kills: { type: 'string' } },
});
const [utterances, kills] = [Number(values.utterances ?? 10_000), Number(values.kills ?? 10)];
if (!(utterances > 0) || !(kills >= 0)) {
  console.error(USAGE);
  process.exitCode = 2;
} else {
  process.exitCode = (await judge(await run({ utterances, kills }))) ? 0 : 1;
}
