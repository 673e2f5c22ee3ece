import { clearScreenDown, createInterface, cursorTo, moveCursor } from 'node:readline';
import { nearestWord } from '../../process/nearest-word.ts';
import { wordsOf } from '../people/typed-command.ts';
import { createCompletion, harmless } from '../world/completion.ts';
import type { Person, SentInteraction, VisibleMessage } from '../world/world.ts';
import type { Demo } from './demo.ts';
import { describeMessage, follow, type LineOutcome, refuse, tell } from './follow.ts';
import type { RecordTo } from './run-files.ts';

export type DemoSession = ReturnType<typeof createDemoSession>;

interface Verb {
  readonly usage: string;
  readonly about: string;
  run(words: string, person: Person): LineOutcome | Promise<LineOutcome> | string;
}

const SHOWN_MESSAGES = 8;

/**
 * Finds the candidate that the user meant, in any letter case: one with the label `typed` or, if there is none, the only
 * candidate with a label that begins with `typed`. Otherwise, throws an error that lists each candidate's first label.
 */
function meant<T>(
  what: string,
  candidates: readonly T[],
  typed: string,
  labelsOf: (candidate: T) => readonly string[],
): T {
  const words = typed.toLowerCase();
  const fits = (test: (label: string) => boolean) => candidates.filter((candidate) => labelsOf(candidate).some(test));
  const [exact] = fits((label) => label === typed);
  const [same] = fits((label) => label.toLowerCase() === words);
  const [beginning, ...others] = words === '' ? [] : fits((label) => label.toLowerCase().startsWith(words));
  const found = exact ?? same ?? (others.length === 0 ? beginning : undefined);
  if (found !== undefined) return found;
  const labels = candidates.map((candidate) => labelsOf(candidate)[0]).join(', ');
  throw new Error(
    `${typed === '' ? `Name a ${what}` : `There is no ${what} ${typed} here`}; there are: ${labels || 'none'}.`,
  );
}

/** `recordTo` returns the path for the next recording. `pageAddress` returns undefined if the playground has no page. */
export function createDemoSession(demo: Demo, recordTo: RecordTo, pageAddress: () => string | undefined) {
  const { world } = demo;
  const completion = createCompletion(() => world.bot.commands);
  /** The place in which the prompt's member writes: a channel's name, or `@bot` for direct messages with the bot. */
  let place = 'general';
  let acting = world.member('olga');

  const channelNamed = (typed: string, kinds: readonly string[] | undefined) => {
    const fitting = world.channels.filter(({ kind }) => kinds?.includes(kind) ?? true);
    return meant('channel', fitting, typed.replace(/^#/, ''), ({ name }) => [name]);
  };
  function personNamed(typed: string): Person {
    const people = world.members.filter(({ isBot }) => !isBot);
    return world.member(meant('member', people, typed, ({ name, displayName }) => [name, displayName]).name);
  }

  function onScreen(person: Person): readonly VisibleMessage[] {
    const places = new Set([place, person.voiceChannel ?? place]);
    return [...places].flatMap((name) => person.sees(name)).sort((a, b) => a.createdAtMs - b.createdAtMs);
  }
  /** If several buttons have the same label, the newest message's button counts. */
  function buttons(person: Person) {
    const all = onScreen(person).flatMap((message) =>
      message.buttons.flatMap(({ label, emoji, customId, disabled }) =>
        customId === undefined || disabled ? [] : [{ message, label: label || (emoji ?? customId), customId }],
      ),
    );
    return [...new Map(all.map((button) => [button.label, button])).values()];
  }

  const followed = (person: Person, send: () => Promise<SentInteraction>, isSpeech: boolean): Promise<LineOutcome> =>
    follow(demo, recordTo, { person, isSpeech, send });

  const verbs: Readonly<Record<string, Verb>> = {
    help: { usage: 'help', about: 'list everything that can be typed here', run: () => helpText() },
    quit: {
      usage: 'quit',
      about: 'end the playground; what is still being spoken is stopped',
      run: () => refuse('To end the playground, type quit alone.'),
    },
    as: {
      usage: 'as NAME [LINE]',
      about: 'be another member from now on, or for one line: olga owns the server',
      run(words) {
        const [name = ''] = words.split(/\s/);
        const other = personNamed(name);
        const line = words.slice(name.length).trim();
        if (line !== '') return perform(other, line);
        acting = other;
        return `You are now ${other.name}${other.voiceChannel ? `, in ${other.voiceChannel}` : ''}.`;
      },
    },
    in: {
      usage: 'in PLACE',
      about:
        'write and use commands there from now on, whoever acts: a channel, or @bot for direct messages with the bot',
      run(words, person) {
        const next = words.startsWith('@') ? words.toLowerCase() : channelNamed(words, undefined).name;
        person.sees(next);
        place = next;
        return `Now writing in ${next}.`;
      },
    },
    join: {
      usage: 'join CHANNEL',
      about: 'join a voice channel, or move to it',
      run(words, person) {
        const { name } = channelNamed(words, ['voice', 'stage']);
        person.joins(name);
        return `Joined ${name}.`;
      },
    },
    leave: {
      usage: 'leave',
      about: 'leave the voice channel',
      run(_words, person) {
        person.leaves();
        return 'You left the voice channel.';
      },
    },
    write: {
      usage: 'write TEXT',
      about: 'write a message; begin it with @silent to notify nobody',
      run(words, person) {
        if (words === '') return refuse('Type the message behind it: write TEXT.');
        const written = person.says(words, { in: place });
        return describeMessage(written, person.language, place.startsWith('@') ? place : `#${place}`);
      },
    },
    read: {
      usage: 'read',
      about: 'show the messages of the channel',
      run(_words, person) {
        const shown = onScreen(person).slice(-SHOWN_MESSAGES);
        return shown.map((message) => describeMessage(message, person.language)).join('\n') || 'No messages here yet.';
      },
    },
    press: {
      usage: 'press BUTTON',
      about: 'press a button of the newest message that has it; menus and forms are for the page',
      run(words, person) {
        const { message, customId } = meant('button', buttons(person), words, ({ label }) => [label]);
        return followed(person, () => person.presses(message, customId), false);
      },
    },
    faults: {
      usage: 'faults',
      about: 'list what can go wrong here',
      run: () => demo.faults.text(),
    },
    fault: {
      usage: 'fault NAME',
      about: 'make one of them happen',
      run: (words) => (words === '' ? demo.faults.text() : demo.faults.set(words).then(tell)),
    },
    page: {
      usage: 'page',
      about: 'show the address of the page in the browser; once it was opened, the next one',
      run: () => pageAddress() ?? 'There is no page: start the playground without --no-page.',
    },
    environment: {
      usage: 'environment',
      about: 'show the variables with which npm run doctor asks this Discord',
      // Another bot can log in to the playground with these settings until the playground ends.
      run: () =>
        Object.entries(world.botEnv)
          .map(([name, value]) => `${name}=${value}`)
          .join('\n'),
    },
  };

  function helpText(): string {
    const entry = (usage: string, about: string) => `  ${usage.padEnd(18)} ${about}`;
    const slash = world.bot.commands.filter(({ type }) => type === 1);
    const commands = slash.map(({ name, description }) => entry(`/${name}`, description));
    const own = Object.values(verbs).map(({ usage, about }) => entry(usage, about));
    return ['The bot understands:', ...commands, 'The playground understands:', ...own].join('\n');
  }

  async function perform(person: Person, line: string): Promise<LineOutcome> {
    if (line.startsWith('/')) {
      const isSpeech = /^\/say\b/.test(line) && person.voiceChannel !== undefined;
      return followed(person, () => person.types(completion.chosen(line), { in: place }), isSpeech);
    }
    const [typed = ''] = line.split(/\s/);
    const word = typed.toLowerCase();
    const verb = Object.hasOwn(verbs, word) ? verbs[word] : undefined;
    if (verb) {
      const done = await verb.run(line.slice(typed.length).trim(), person);
      return typeof done === 'string' ? tell(done) : done;
    }
    const slash = world.bot.commands.map(({ name }) => `/${name}`);
    const nearest = nearestWord(word, [...Object.keys(verbs), ...slash]);
    const hint = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
    return refuse(
      `Unknown command: ${typed}.${hint} The bot’s commands start with /, as in /say; help lists everything.`,
    );
  }

  async function completeFor(person: Person, line: string): Promise<[string[], string]> {
    if (line.startsWith('/')) {
      const { part, choices } = await completion.complete(line, { person, server: world, place });
      return [choices.map(({ text }) => text), part];
    }
    const [, name = '', theirs] = /^as\s+(\S+)\s+(.*)$/.exec(line) ?? [];
    if (theirs !== undefined) return completeFor(personNamed(name), theirs);
    return [Object.keys(verbs).filter((word) => word.startsWith(line)), line];
  }

  const shownSafely = (outcome: LineOutcome): LineOutcome => ({ ...outcome, shown: outcome.shown.map(harmless) });

  return {
    get prompt(): string {
      const where = [acting.voiceChannel && `in ${acting.voiceChannel}`, place !== 'general' && `(${place})`];
      return `${[acting.name, ...where].filter(Boolean).join(' ')}> `;
    },
    async run(line: string): Promise<LineOutcome> {
      try {
        return shownSafely(await perform(acting, line.trim()));
      } catch (error) {
        return shownSafely(refuse(wordsOf(error)));
      }
    },
    /** Runs `/say` with text and voice as separate options: `voice:` within the text then does not choose a voice. */
    async say(text: string, voice: string | undefined): Promise<LineOutcome> {
      const options: Record<string, string> = voice === undefined ? { text } : { text, voice };
      return shownSafely(await followed(acting, () => acting.command('say', options), true));
    },
    /** Completes a typed line for Node's readline: the candidates, and the end of the line that they replace. */
    complete: (line: string) => completeFor(acting, line),
  };
}

interface PromptOptions {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  readonly terminal: boolean;
  readonly ended: Promise<unknown>;
  readonly interrupted: AbortSignal;
}

/** Returns how many lines failed. Lines from a pipe run one by one; at a terminal, lines may overlap. */
export async function runLines(session: DemoSession, options: PromptOptions): Promise<number> {
  const { input, output, terminal, ended, interrupted } = options;
  const readline = createInterface({
    input,
    output: terminal ? output : undefined,
    terminal,
    completer: (line: string, callback: (error: Error | null, result: [string[], string]) => void) => {
      session.complete(line).then(
        (result) => callback(null, result),
        () => callback(null, [[], line]),
      );
    },
  });
  // In raw mode, Ctrl-C sends no signal: readline emits the event SIGINT instead, so the handler signals the process.
  readline.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  const close = () => readline.close();
  ended.then(close, close);
  let failures = 0;
  let isOver = false;
  const ask = () => {
    readline.setPrompt(session.prompt);
    readline.prompt(true);
  };
  /** Inserts text above the prompt, so that a half-typed line stays intact. */
  const show = (text: string) => {
    if (!terminal) return output.write(text);
    moveCursor(output, 0, -readline.getCursorPos().rows);
    cursorTo(output, 0);
    clearScreenDown(output);
    output.write(text);
    ask();
  };
  const run = async (line: string) => {
    if (!terminal) show(`${session.prompt}${line}\n`);
    const { ok, shown } = await session.run(line);
    if (!ok) failures += 1;
    // While the playground ends, replies are not shown: a shown reply would suggest that the bot still runs.
    if (!isOver && !interrupted.aborted) show(`${shown.join('\n')}\n\n`);
  };
  if (terminal) ask();
  for await (const typed of readline) {
    const line = typed.trim();
    if (/^(quit|exit)$/i.test(line)) break;
    const running = line === '' ? undefined : run(line);
    if (terminal) ask();
    else await running;
  }
  isOver = true;
  readline.close();
  return failures;
}
