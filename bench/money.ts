import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { startBotProcess } from '../src/playground/demo/bot/bot-process.ts';
import { flagsOrExit } from '../src/process/package.ts';
import { DATABASE_FILE } from '../src/services/storage/database.ts';
import { withDiscord } from './discord.ts';
import type { Fault } from './speech-api.ts';

const USAGE = `Usage: npm run test:money -- [--utterances N] [--kills N]

The real bot and a speech API as bad as it gets: 5 % of the requests are answered 503, of 2 % the answer is lost after it was
billed, of 2 % the audio never arrives, 1 % are slow; the bot is killed in between. Afterwards: every text that was billed
against what was heard and what its requester was told. Ends with 1 when a text was billed twice, or a difference has no name.
--utterances N  default 10,000
--kills N       default 5`;

const ROOMS = 60;
const SPEAKING_AT_ONCE = 20;
/** Covers a text that the service rejects for a while, and the texts before that text. */
const REPLY_TIMEOUT_MS = 120_000;
const SLOW_SHARE = 0.01;
const SLOW_MS = 4_000;
const COOLDOWN_MS = 2_000;
/** A restarted bot speaks its recovered texts within this time. */
const COMES_BACK_MS = 15_000;
/** A reply that contains this word tells the cost, or that the cost is unknown. */
const TELLS_COST = /credit/i;

/** A text with all that may explain why it was billed and not heard. */
interface Text {
  readonly words: string;
  readonly faults: Set<Fault | 'bot killed'>;
  isHeard: boolean;
  /** The last reply that the text's requester saw. */
  told: string | undefined;
}

function drawFault(): Fault | undefined {
  const draw = Math.random();
  if (draw < 0.05) return '503';
  if (draw < 0.07) return 'lost answer';
  return draw < 0.09 ? 'lost audio' : undefined;
}

function run({ utterances, kills }: { readonly utterances: number; readonly kills: number }): Promise<boolean> {
  const texts = new Map<string, Text>();
  const options = {
    apiMs: () => (Math.random() < SLOW_SHARE ? SLOW_MS : 0),
    faultOf(words: string) {
      const fault = drawFault();
      if (fault) texts.get(words)?.faults.add(fault);
      return fault;
    },
  };
  return withDiscord(options, async ({ world, api, dataDir, env }) => {
    const members = Array.from({ length: ROOMS }, (_, index) => {
      const member = world.newServer(`Server ${index}`, { settled: true }).newMember(`member-${index}`);
      member.joins('General');
      return member;
    });
    const startBot = async () => {
      const started = startBotProcess({ env });
      await started.logged(({ msg }) => msg === 'Crier is ready');
      return started;
    };
    let bot = await startBot();
    let killed = new AbortController();
    const killBot = async () => {
      bot.signal('SIGKILL');
      await bot.ended;
      killed.abort();
      killed = new AbortController();
      bot = await startBot();
    };

    /** Speaks a text. Waits until the requester sees how it ended, or until the bot is killed. */
    async function say(member: (typeof members)[number], text: Text): Promise<void> {
      const { signal } = killed;
      member.listener.clear();
      let sent = await member.types(`/say text:${text.words}`);
      const answered = () =>
        sent.reply({ timeoutMs: REPLY_TIMEOUT_MS, signal }).catch((error: unknown) => {
          if (!signal.aborted) throw error;
          text.faults.add('bot killed');
          return undefined;
        });
      let reply = await answered();
      // After several failures at once: a member may have five texts spoken in ten seconds.
      while (reply?.text.startsWith('Too fast')) {
        await sleep(COOLDOWN_MS);
        sent = await member.types(`/say text:${text.words}`);
        reply = await answered();
      }
      // The listener must also hear texts that a restarted bot recovers.
      if (!reply) await sleep(COMES_BACK_MS);
      text.told = reply?.text ?? sent.replies.findLast(({ deleted }) => !deleted)?.text;
      text.isHeard = member.listener.heard().packets.some(({ audible }) => audible);
    }

    const killsBefore = (number: number) => Math.trunc((number * (kills + 1)) / utterances);
    let restarting: Promise<void> | undefined;
    async function speakInTurn(): Promise<void> {
      while (texts.size < utterances) {
        const number = texts.size;
        const words = `This is text number ${number}.`;
        const text: Text = { words, faults: new Set(), isHeard: false, told: undefined };
        texts.set(words, text);
        if (number % 500 === 0) console.error(`${number} of ${utterances} texts`);
        if (killsBefore(number) > killsBefore(number - 1)) restarting = restarting?.then(killBot) ?? killBot();
        // Members wait while the bot is away.
        await restarting;
        const member = members.shift() as (typeof members)[number];
        await say(member, text);
        members.push(member);
      }
    }
    try {
      await Promise.all(Array.from({ length: SPEAKING_AT_ONCE }, speakInTurn));
    } finally {
      await bot.stop();
    }
    return judge([...texts.values()], api.billed, countedIn(join(dataDir, DATABASE_FILE)));
  });
}

type Counted = ReturnType<typeof countedIn>;

/** The credits that the bot counted, and its estimates among them, for requests whose bill it does not know. */
function countedIn(file: string) {
  const database = new DatabaseSync(file, { readOnly: true });
  const creditsIn = (rows: string) =>
    Number(database.prepare(`SELECT coalesce(sum(millicredits), 0) AS sum FROM ${rows}`).get()?.sum) / 1000;
  const all = creditsIn("spending_days WHERE guild_id = '' AND user_id = ''");
  const unknown = creditsIn("spending_reservations WHERE state = 'unknown'");
  database.close();
  return { all, unknown };
}

/** Prints how texts ended, and each text with a problem. Returns true if there is no problem. */
function judge(texts: readonly Text[], bills: ReadonlyMap<string, number>, counted: Counted): boolean {
  const billsOf = ({ words }: Text) => bills.get(words) ?? 0;
  const kindOf = (text: Text) =>
    `${billsOf(text) > 0 ? 'billed' : 'not billed'}, ${text.isHeard ? 'heard' : 'not heard'}: ${[...text.faults].sort().join(' + ') || 'no fault'}`;
  const problems = texts.filter((text) => {
    const isLost = billsOf(text) > 0 && !text.isHeard;
    return billsOf(text) > 1 || (isLost && (text.faults.size === 0 || !TELLS_COST.test(text.told ?? '')));
  });
  console.log('| texts | |\n|---|---|');
  for (const [kind, own] of Map.groupBy(texts, kindOf)) console.log(`| ${own.length} | ${kind} |`);
  for (const text of problems) console.log(`${kindOf(text)}, ${billsOf(text)} bills: ${text.words} ${text.told}`);
  const billed = texts.reduce((sum, text) => sum + billsOf(text), 0);
  console.log(`
Texts billed twice, not explained, or with a requester who was not told: ${problems.length}. Credits billed: ${billed}.
Counted by the bot: ${counted.all}, of which ${counted.unknown} are for requests whose bill it does not know.`);
  return problems.length === 0 && counted.all - counted.unknown <= billed && counted.all >= billed;
}

const { values } = flagsOrExit(USAGE, { options: { utterances: { type: 'string' }, kills: { type: 'string' } } });
const [utterances, kills] = [Number(values.utterances ?? 10_000), Number(values.kills ?? 5)];
if (utterances > 0 && kills >= 0) {
  process.exitCode = (await run({ utterances, kills })) ? 0 : 1;
} else {
  console.error(USAGE);
  process.exitCode = 2;
}
