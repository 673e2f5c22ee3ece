import { join } from 'node:path';
import type { BotLogLine } from '../bot-process.ts';
import { writeWavFile } from '../wav-file.ts';
import type { Person, SentInteraction, VisibleMessage } from '../world-types.ts';
import type { Cast } from './cast.ts';
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
  complete(line: string): Promise<[string[], string]>;
}

/** A synthesis may take minutes by the interface; the bot gives up before this and says so. */
const REPLY_TIMEOUT_MS = 150_000;
/** The reply comes when the last packet has left; this much later it has surely been decoded. */
const HEARD_TIMEOUT_MS = 5_000;
const QUIET_MS = 300;
const HEARD_RATE_HZ = 48_000;

const STAGE_COMMANDS = {
  help: 'what can be typed here',
  quit: 'end the playground',
  'as NAME': 'type as another member: alice, bob, or olga, who owns the server',
  'join CHANNEL': 'join a voice channel: General, Full, Locked, Quiet, Stage',
  leave: 'leave the voice channel',
} as const;

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

export function createStage(cast: Cast, options: { readonly folder: string; readonly out?: string }): Stage {
  const { world } = cast;
  let person: Person = world.member('olga');
  let recordings = 0;

  async function hearing(sent: SentInteraction, reply: VisibleMessage): Promise<HeardReport> {
    const { listener } = person;
    if (!reply.failed && !reply.ephemeral) {
      // Nothing heard is an outcome to report, not an error of the playground.
      await listener.utterance({ quietMs: QUIET_MS, timeoutMs: HEARD_TIMEOUT_MS }).catch(() => undefined);
    }
    const heard = listener.heard();
    if (heard.firstAudibleAtMs === undefined) return reportHeard(heard, sent.sentAtMs, null);
    recordings += 1;
    const file = options.out ?? join(options.folder, `heard-${recordings}.wav`);
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
    const own = Object.entries(STAGE_COMMANDS).map(([name, about]) => `  ${name.padEnd(14)} ${about}`);
    const commands = world.bot.commands
      .filter((command) => command.type === 1)
      .map((command) => `  /${command.name.padEnd(13)} ${command.description}`);
    return tell(['The bot understands:', ...commands, 'The playground understands:', ...own].join('\n'));
  }

  async function run(line: string): Promise<LineOutcome> {
    const [word = '', ...rest] = line.trim().split(/\s+/);
    const argument = rest.join(' ');
    try {
      if (word.startsWith('/')) return await slash(word === '/say', () => person.types(line.trim()));
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

  async function complete(line: string): Promise<[string[], string]> {
    if (!line.startsWith('/')) {
      const words = Object.keys(STAGE_COMMANDS).map((usage) => usage.split(' ')[0] ?? usage);
      return [words.filter((word) => word.startsWith(line)), line];
    }
    const names = world.bot.commands.flatMap((command) => {
      const groups = (command.options ?? []).filter((option) => option.type === 1).map((option) => option.name);
      return command.type !== 1
        ? []
        : groups.length > 0
          ? groups.map((group) => `/${command.name} ${group}`)
          : [`/${command.name}`];
    });
    const name = names.filter((candidate) => line.startsWith(`${candidate} `)).sort((a, b) => b.length - a.length)[0];
    if (name === undefined) return [names.filter((candidate) => candidate.startsWith(line)), line];
    const typed = /(\S+):([^:]*)$/.exec(line);
    const [path = '', group] = name.slice(1).split(' ');
    const command = world.bot.commands.find((candidate) => candidate.name === path);
    const parent = group ? command?.options?.find((option) => option.name === group) : command;
    const known = parent && 'options' in parent ? (parent.options ?? []) : [];
    if (!typed) {
      const word = line.split(' ').at(-1) ?? '';
      return [known.map((option) => `${option.name}:`).filter((option) => option.startsWith(word)), word];
    }
    const [, option = '', value = ''] = typed;
    const definition = known.find((candidate) => candidate.name === option);
    if (!definition || !('autocomplete' in definition) || !definition.autocomplete) return [[], line];
    const choices = await person.autocompletes(name.slice(1), { [option]: value });
    return [choices.map((choice) => `${option}:${choice.name}`), `${option}:${value}`];
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
