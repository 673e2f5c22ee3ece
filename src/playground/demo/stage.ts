import type { BotLogLine } from '../bot-process.ts';
import { writeWavFile } from '../wav-file.ts';
import type { Person, SentInteraction, VisibleMessage } from '../world-types.ts';
import type { Cast } from './cast.ts';
import { type Completion, createCompletion } from './completion.ts';
import { describeHeard, describeMessage, type HeardReport, reportHeard } from './show.ts';

export interface LineOutcome {
  readonly ok: boolean;
  /** What the person's screen shows, and what was heard. */
  readonly shown: readonly string[];
  /** The bot's answers in order, as text. */
  readonly replies: readonly string[];
  readonly heard?: HeardReport;
  readonly credits?: { readonly used: number; readonly remaining: number };
  readonly requestId?: string;
}

export interface Stage {
  /** Who types, and the voice channel they are in. */
  readonly prompt: string;
  /** Runs one line as typed; never rejects for what a person may do wrong. */
  run(line: string): Promise<LineOutcome>;
  /** `/say` with its options as they are: a text may hold `voice:` without choosing one. */
  say(text: string, voice: string | undefined): Promise<LineOutcome>;
  /** Ways to complete a line: the candidates and the part of the line they replace. */
  complete(line: string): Promise<Completion>;
}

/** A synthesis may take minutes by the interface; the bot gives up before this and says so. */
const REPLY_TIMEOUT_MS = 150_000;
/** The reply comes when the last packet has left; this much later it has surely been decoded. */
const HEARD_TIMEOUT_MS = 5_000;
const QUIET_MS = 300;
const HEARD_RATE_HZ = 48_000;

const MEMBERS = ['alice', 'bob', 'olga'];
const CHANNELS = ['General', 'Lounge', 'Full', 'Locked', 'Quiet', 'Stage'];
const STAGE_COMMANDS = {
  help: { about: 'what can be typed here', values: [] },
  quit: { about: 'end the playground', values: [] },
  as: { about: `type as another member: ${MEMBERS.join(', ')} (who owns the server)`, values: MEMBERS },
  join: { about: `join a voice channel: ${CHANNELS.join(', ')}`, values: CHANNELS },
  leave: { about: 'leave the voice channel', values: [] },
};

const refuse = (text: string): LineOutcome => ({ ok: false, shown: [text], replies: [] });
const tell = (text: string): LineOutcome => ({ ok: true, shown: [text], replies: [] });
const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** What the bot's log says of one interaction: how it ended, and what its speech cost. */
function loggedOf(cast: Cast, interactionId: string): { outcome?: string; line?: BotLogLine } {
  const lines = cast.bot.log.filter((line) => line.interactionId === interactionId);
  const outcome = lines.findLast((line) => typeof line.outcome === 'string')?.outcome;
  const line = lines.findLast((entry) => entry.requestId !== undefined);
  return { ...(typeof outcome === 'string' ? { outcome } : {}), ...(line ? { line } : {}) };
}

/** `recordTo` names the file that the next recording goes to. */
export function createStage(cast: Cast, recordTo: () => string): Stage {
  const { world } = cast;
  const completion = createCompletion(() => world.bot.commands);
  let person: Person = world.member('olga');

  async function hearing(sent: SentInteraction, reply: VisibleMessage): Promise<HeardReport> {
    const { listener } = person;
    if (!reply.failed && !reply.ephemeral) {
      // Nothing heard is an outcome to report, not an error of the playground.
      await listener.utterance({ quietMs: QUIET_MS, timeoutMs: HEARD_TIMEOUT_MS }).catch(() => undefined);
    }
    const heard = listener.heard();
    if (heard.firstAudibleAtMs === undefined) return reportHeard(heard, sent.sentAtMs, null);
    const file = recordTo();
    await writeWavFile(file, heard.pcm, HEARD_RATE_HZ);
    return reportHeard(heard, sent.sentAtMs, file);
  }

  async function slash(isSay: boolean, send: () => Promise<SentInteraction>): Promise<LineOutcome> {
    const speaks = isSay && person.voiceChannel !== undefined;
    if (speaks) person.listener.clear();
    let sent: SentInteraction;
    try {
      sent = await send();
    } catch (error) {
      return refuse(messageOf(error));
    }
    const reply = await sent.reply({ timeoutMs: REPLY_TIMEOUT_MS });
    const heard = speaks ? await hearing(sent, reply) : undefined;
    // What was deleted is gone from the screen; what was changed shows its last state.
    const visible = sent.replies.filter((message) => !message.deleted);
    const shown = visible.map(describeMessage);
    if (heard && !(reply.ephemeral && heard.file === null)) {
      shown.push(`  ♪ ${describeHeard(heard, person.name, person.voiceChannel ?? 'no channel')}`);
      if (heard.file) shown.push(`    recorded in ${heard.file}`);
    }
    const { outcome, line: logged } = loggedOf(cast, sent.id);
    const used = logged?.creditsUsed;
    const remaining = logged?.creditsRemaining;
    return {
      ok:
        !reply.failed && (outcome === undefined || outcome === 'done') && (heard === undefined || heard.file !== null),
      shown,
      replies: visible.map((message) => message.text),
      ...(heard ? { heard } : {}),
      ...(typeof used === 'number' && typeof remaining === 'number' ? { credits: { used, remaining } } : {}),
      ...(typeof logged?.requestId === 'string' ? { requestId: logged.requestId } : {}),
    };
  }

  function help(): LineOutcome {
    const own = Object.entries(STAGE_COMMANDS).map(([name, { about, values }]) => {
      return `  ${(values.length > 0 ? `${name} NAME` : name).padEnd(14)} ${about}`;
    });
    const commands = world.bot.commands
      .filter((command) => command.type === 1)
      .map(({ name, description, default_member_permissions: needed }) => {
        return `  /${name.padEnd(13)} ${description}${needed ? ' (only for those who manage the server: olga)' : ''}`;
      });
    return tell(['The bot understands:', ...commands, 'The playground understands:', ...own].join('\n'));
  }

  async function run(line: string): Promise<LineOutcome> {
    const [word = '', ...rest] = line.trim().split(/\s+/);
    const argument = rest.join(' ');
    try {
      if (word.startsWith('/')) {
        return await slash(word === '/say', () => person.types(completion.chosen(line.trim())));
      }
      switch (word) {
        case 'help':
          return help();
        case 'as':
          person = world.member(argument);
          return tell(`You are ${person.name} now${person.voiceChannel ? `, in ${person.voiceChannel}` : ''}.`);
        case 'join':
          if (person.voiceChannel === undefined) person.joins(argument);
          else person.moves(argument);
          return tell(`You are in ${person.voiceChannel} now.`);
        case 'leave':
          if (person.voiceChannel === undefined) return refuse('You are in no voice channel.');
          person.leaves();
          return tell('You left the voice channel.');
        default:
          return refuse(`Unknown: ${word}. Commands of the bot start with /, as in /say; help lists everything.`);
      }
    } catch (error) {
      return refuse(messageOf(error));
    }
  }

  async function complete(line: string): Promise<Completion> {
    if (line.startsWith('/')) return completion.complete(line, person);
    const [word = '', argument] = line.split(/\s+/);
    const begins = (start: string) => (candidate: string) => candidate.toLowerCase().startsWith(start.toLowerCase());
    if (argument === undefined) return [Object.keys(STAGE_COMMANDS).filter(begins(word)), word];
    const command = Object.entries(STAGE_COMMANDS).find(([name]) => name === word)?.[1];
    return [(command?.values ?? []).filter(begins(argument)), argument];
  }

  return {
    get prompt() {
      return `${person.name}${person.voiceChannel ? ` in ${person.voiceChannel}` : ''}> `;
    },
    run,
    say: (text, voice) => slash(true, () => person.command('say', { text, ...(voice === undefined ? {} : { voice }) })),
    complete,
  };
}
