import { nearestWord } from '../../process/nearest-word.ts';
import type { Person, SentInteraction, World } from '../interface/world-types.ts';
import { createCompletion, harmless } from '../people/completion.ts';
import {
  CommandRefused,
  fullName,
  misspeltOption,
  NotKnown,
  type Option,
  parseCommandLine,
} from '../people/typed-command.ts';
import { OPTION } from '../state/model.ts';
import type { Demo } from './demo.ts';
import { faultsText } from './faults/fault-switches.ts';
import { follow, type LineOutcome, overhear, refuse, shownMessage, tell } from './follow.ts';
import { fileAt } from './menus-and-forms.ts';
import { FIRST_SERVER } from './program-flags.ts';
import { memberMeant, onlyLabel, type Screen } from './screen.ts';
import { folded } from './show.ts';
import { hintOfDirectUse, VERBS, type VerbContext } from './verbs.ts';
import { waitAsTold } from './wait-line.ts';

/** Candidates, and the part of the line they replace, as readline wants them. */
type Completion = [string[], string];

export type DemoSession = ReturnType<typeof createDemoSession>;

/** No permission: only admins pass. That is how a bot hides a command for its owner. */
const NONE = '0';
/** Verbs of the session itself: the acting person, the server, and acts at the same time. */
const SESSION_VERBS = {
  help: 'list everything you can type here',
  quit: 'end the playground; what is still being spoken is stopped',
  'as NAME':
    'be another member from now on, such as bob (olga owns the server); as NAME LINE: for one line, in the same place',
  'newcomer NAME': 'a new member joins the server',
  'server NAME': 'go to another server, created if there is none of that name',
  faults: 'list what Discord, or this machine, can do to the bot',
  'fault NAME': 'make one of them happen',
  page: 'show the address of the page in the browser; once it was opened, the next one',
  environment: 'show the variables with which npm run doctor asks this Discord',
  'LINE &': 'run the line in the background: meanwhile others can act, and its text can be paused, skipped or stopped',
  wait: 'wait for everything started with &, and show it; the end of a pipe does so too',
  'wait SECONDS': 'wait that long, as in wait 3',
  'wait for TEXT':
    'wait until a message here says that, after your last command; for 60 seconds, or as told: wait 5 for TEXT',
};

const USAGES = [...Object.keys(SESSION_VERBS), ...Object.values(VERBS).map(({ usage }) => usage)];

/** The first word of each line; that of any line with & is its own. With a space behind it where more follows. */
const STARTS = USAGES.map((usage) => /^\S+ ?/.exec(usage)?.[0] ?? '').filter(
  (start) => start !== 'LINE ' && start !== 'wait ',
);
const WORDS = STARTS.map((start) => start.trim());

type Commands = World['bot']['commands'];

const LANGUAGE_CODE = /^([a-z]{2})(-[A-Z]{2})?$/;

/** What a language is called in English, in the person's language and in itself, in lower case; nothing for any other choice. */
function languageNames(value: string, language: string): string[] {
  const [, code] = LANGUAGE_CODE.exec(value) ?? [];
  if (code === undefined) return [];
  return ['en', language, code].map((locale) =>
    String(new Intl.DisplayNames([locale], { type: 'language' }).of(code)).toLowerCase(),
  );
}

/**
 * The choice that is meant by its label, its value (such as the code of a language) or a part of its label, in the language of
 * the person or else in English, as documents name it.
 */
function choiceMeant({ name: option, choices = [] }: Option, typed: string, language: string): string {
  if (choices.length === 0) return typed;
  const isCalled = ({ name, name_localizations: localized }: (typeof choices)[number]) =>
    [name, ...Object.values(localized ?? {})].some((label) => label?.toLowerCase() === typed.toLowerCase());
  const labelOf = (choice: (typeof choices)[number]) => choice.name_localizations?.[language] ?? choice.name;
  const labels = choices.map(labelOf);
  const english = choices.map(({ name }) => name);
  // A word of a label, such as 'voice', may mean another choice than the one with that value.
  const isWord = [...labels, ...english].some((label) => label.toLowerCase().split(' ').includes(typed.toLowerCase()));
  const coded = isWord ? undefined : choices.find(({ value }) => String(value).toLowerCase() === typed.toLowerCase());
  const spoken = choices.find(({ value }) => languageNames(String(value), language).includes(typed.toLowerCase()));
  const whole = choices.find(isCalled) ?? coded ?? spoken;
  const label = whole ? whole.name : (onlyLabel(labels, typed) ?? onlyLabel(english, typed));
  if (label === undefined) throw new CommandRefused(`The option ${option} must be one of: ${labels.join(', ')}`);
  return label;
}

/** On a command line a file option takes a path, and one with choices a part of a label. */
async function sendCommand(
  { chosen, values }: ReturnType<typeof parseCommandLine>,
  person: Person,
  place: string,
): Promise<SentInteraction> {
  for (const option of chosen.options) {
    const { [option.name]: typed } = values;
    if (typeof typed !== 'string') continue;
    if (option.type === OPTION.attachment) values[option.name] = fileAt(typed);
    else values[option.name] = choiceMeant(option, typed, person.language);
  }
  try {
    return await person.command(fullName(chosen), values, { in: place });
  } catch (error) {
    if (!(error instanceof NotKnown) || !place.startsWith('@')) throw error;
    throw new CommandRefused(`${error.message}. In direct messages, take the ID of somebody else; people lists them.`);
  }
}

/** For a shell: the token is one of this Discord, which ends with it. */
const environmentText = ({ botEnv }: Pick<World, 'botEnv'>): string =>
  Object.entries(botEnv)
    .map(([name, value]) => `${name}=${value}`)
    .join('\n');

/** Their names without the slash. */
const slashCommands = ({ person, place }: Screen): string[] =>
  person
    .seesCommands({ in: place })
    .filter(({ kind }) => kind === 'slash')
    .map(({ name }) => name);

const peopleIn = ({ members }: Pick<Screen['server'], 'members'>): string[] =>
  members.filter(({ isBot }) => !isBot).map(({ name }) => name);

/** Who is offered a command that not everybody is. */
function userOf(
  command: Pick<Commands[number], 'default_member_permissions'> | undefined,
): { readonly who: string; readonly place: string } | undefined {
  const needed = command?.default_member_permissions;
  if (needed === null || needed === undefined) return undefined;
  return needed === NONE
    ? { who: 'olga, the bot’s owner, in direct messages', place: '@bot' }
    : { who: 'olga, who manages the server', place: 'general' };
}

/** Beside what is typed, or below it where the terminal is narrower than this. */
const COLUMNS_FOR_BOTH = 60;

function helpText(commands: Commands, columns: number): string {
  const isBeside = columns >= COLUMNS_FOR_BOTH;
  const margin = ' '.repeat(isBeside ? 21 : 6);
  const entry = (usage: string, about: string) => {
    const words = folded(about, columns - margin.length).join(`\n${margin}`);
    return isBeside ? `  ${usage.padEnd(18)} ${words}` : `  ${usage}\n${margin}${words}`;
  };
  const own = [
    ...Object.entries(SESSION_VERBS).map(([usage, about]) => entry(usage, about)),
    ...Object.values(VERBS).map(({ usage, about }) => entry(usage, about)),
  ];
  const listed = commands.map(({ name, type, description, default_member_permissions: needed }) => {
    const whose = userOf({ default_member_permissions: needed });
    const note = whose === undefined ? '' : ` (only for ${whose.who})`;
    return type === 1 ? entry(`/${name}`, `${description}${note}`) : entry('apps', `${name}${note}`);
  });
  return ['The bot understands:', ...listed, 'The playground understands:', ...own].join('\n');
}

/** `recordTo` names the file that the next recording goes to; `pageAddress` the page, where there is one; `columns` are those of the terminal. */
export function createDemoSession(
  demo: Demo,
  recordTo: () => string,
  pageAddress: () => string | undefined = () => undefined,
  columns: () => number = () => Number.POSITIVE_INFINITY,
) {
  const { world } = demo;
  const completion = createCompletion(() => world.bot.commands);
  const servers = new Map([[FIRST_SERVER, world as Screen['server']]]);
  const screens = new Map<string, Screen>();
  /** Where lines are carried out, by the name of the server: the prompt shows one place, so it is that of every member. */
  const places = new Map<string, string>();
  const pending: { readonly line: string; readonly outcome: Promise<LineOutcome> }[] = [];
  /** As they were typed, with their member. */
  const inProgress = new Set<{ readonly line: string }>();

  const screenOf = (typed: string, serverName: string): Screen => {
    const server = servers.get(serverName);
    if (!server) throw new Error(`There is no server ${serverName}`);
    const name = memberMeant({ server }, typed);
    const members = peopleIn(server);
    if (!members.includes(name)) throw new Error(`There is no member ${typed}; there are: ${members.join(', ')}.`);
    const key = `${serverName}\n${name}`;
    const found = screens.get(key) ?? {
      serverName,
      server,
      person: server.member(name),
      get place() {
        return places.get(serverName) ?? 'general';
      },
      set place(place) {
        places.set(serverName, place);
      },
      modal: undefined,
      askedAtMs: 0,
    };
    screens.set(key, found);
    return found;
  };
  let current = screenOf('olga', FIRST_SERVER);

  const followed = async (
    screen: Screen,
    act: { kind: 'command' | 'control'; sound: 'expected' | 'possible'; send: () => Promise<SentInteraction> },
  ): Promise<LineOutcome> => {
    screen.askedAtMs = performance.now();
    const outcome = await follow(demo, recordTo, { person: screen.person, ...act });
    if (outcome.modal) screen.modal = outcome.modal;
    return outcome;
  };

  const contextOf = (screen: Screen): VerbContext => ({
    screen,
    follow: (send) => followed(screen, { kind: 'control', sound: 'possible', send }),
    overhear: (overheard, run) => overhear(demo, recordTo, overheard, run),
    contextCommands: (kind) =>
      screen.person
        .seesCommands({ in: screen.place })
        .filter((command) => command.kind === kind)
        .map(({ name }) => name),
  });

  /** Throws where more can be said of a command that is not offered than that it is not. */
  const explainMissing = (screen: Screen, typed: string, names: readonly string[]): void => {
    const { name: who } = screen.person;
    const whose = userOf(world.bot.commands.find(({ name }) => `/${name}` === typed));
    if (whose !== undefined && who === 'olga' && screen.place !== whose.place) {
      throw new Error(`${typed} is not offered here: type in ${whose.place}, then ${typed}.`);
    }
    if (whose !== undefined) throw new Error(`${who} is not offered ${typed}: it is only for ${whose.who}.`);
    const hint = hintOfDirectUse(screen);
    const isTheBots = world.bot.commands.some(({ name }) => `/${name}` === typed);
    if (hint !== '' && isTheBots) throw new Error(`There is no command ${typed} here.${hint}`);
    const own = WORDS.find((word) => `/${word}` === typed.toLowerCase());
    if (own !== undefined)
      throw new Error(`There is no command ${typed} here: did you mean ${own}, without the slash?`);
    const nearest = nearestWord(typed.toLowerCase(), names);
    if (nearest !== undefined) throw new Error(`There is no command ${typed} here: did you mean ${nearest}?`);
    if (hint !== '') throw new Error(`There is no command ${typed} here.${hint}`);
  };

  const slash = async (screen: Screen, line: string): Promise<LineOutcome> => {
    const { person, place } = screen;
    const [typed = ''] = line.split(/\s/);
    const names = slashCommands(screen).map((name) => `/${name}`);
    if (!names.includes(typed)) explainMissing(screen, typed, names);
    const sound = typed === '/say' && person.voiceChannel !== undefined ? 'expected' : 'possible';
    const hints: string[] = [];
    const send = async () => {
      const parsed = parseCommandLine(world.bot.commands, completion.chosen(line));
      const misspelt = misspeltOption(parsed.chosen, line);
      if (misspelt) hints.push(`There is no option ${misspelt.written}: did you mean ${misspelt.meant}:?`);
      return sendCommand(parsed, person, place);
    };
    const outcome = await followed(screen, { kind: 'command', sound, send });
    return { ...outcome, shown: [...outcome.shown, ...hints] };
  };

  const typedName = (name: string, usage: string) => {
    if (name === '') throw new Error(`A name is missing: ${usage}.`);
    return name;
  };

  async function waitForAll(): Promise<LineOutcome> {
    const waited = pending.splice(0);
    const outcomes = await Promise.all(waited.map(({ outcome }) => outcome));
    const shown = outcomes.flatMap((outcome, index) => [`${waited[index]?.line}`, ...outcome.shown]);
    return {
      ok: outcomes.every(({ ok }) => ok),
      shown: shown.length > 0 ? shown : ['Nothing in progress.'],
      replies: outcomes.flatMap(({ replies }) => replies),
    };
  }

  async function perform(screen: Screen, line: string): Promise<LineOutcome> {
    const [typed = '', ...rest] = line.split(/\s+/);
    const argument = line.slice(typed.length).trim();
    if (typed.startsWith('/')) return slash(screen, line);
    const word = typed.toLowerCase();
    if (word === 'help') return tell(helpText(world.bot.commands, columns()));
    if (word === 'wait') return argument === '' ? waitForAll() : waitAsTold(world, screen, argument);
    if (word === 'page') return tell(pageAddress() ?? 'There is no page: start the playground without --no-page.');
    if (word === 'environment') return tell(environmentText(world));
    if (word === 'faults' || (word === 'fault' && argument === '')) return tell(faultsText());
    if (word === 'fault') return tell(await demo.faults.set(screen.server, argument));
    if (word === 'newcomer') {
      const name = typedName(argument, 'newcomer NAME');
      // Other lines tell a name's end by a space.
      if (/\s/.test(name)) return refuse(`A name is one word here: newcomer ${name.replaceAll(/\s+/g, '-')}.`);
      if (peopleIn(screen.server).includes(memberMeant(screen, name))) return refuse(`${name} is a member already.`);
      screen.server.newMember(name);
      return tell(`${argument} is a member now: as ${argument} …`);
    }
    if (word === 'server') {
      const name = typedName(argument, 'server NAME');
      if (screen !== current) {
        return refuse(`You can’t change servers in a single line: type as ${screen.person.name}, then server ${name}.`);
      }
      if (!servers.has(name)) servers.set(name, world.newServer(name));
      current = screenOf(screen.person.name, name);
      return tell(`Now in the server ${name}.`);
    }
    if (word === 'as') {
      const other = screenOf(typedName(rest[0] ?? '', 'as NAME'), screen.serverName);
      const theirs = argument.slice((rest[0] ?? '').length).trim();
      if (theirs !== '') return perform(other, theirs);
      current = other;
      const { name, voiceChannel } = other.person;
      return tell(`You are now ${name}${voiceChannel ? `, in ${voiceChannel}` : ''}.`);
    }
    const verb = Object.hasOwn(VERBS, word) ? VERBS[word] : undefined;
    if (verb === VERBS.in && screen !== current) {
      return refuse(
        `You can’t change places in a single line: type in ${argument || 'PLACE'}, which holds for every member.`,
      );
    }
    if (verb) return verb.run(contextOf(screen), argument);
    if (word === 'quit') return refuse('To end the playground, type quit alone.');
    const nearest = slashCommands(screen).includes(word) ? `/${word}` : nearestWord(word, WORDS);
    const meant = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
    return refuse(
      `Unknown command: ${typed}.${meant} The bot’s commands start with /, as in /say; help lists everything.`,
    );
  }

  const shownSafely = (outcome: LineOutcome): LineOutcome => ({ ...outcome, shown: outcome.shown.map(harmless) });

  async function performing(line: string): Promise<LineOutcome> {
    const begun = { line: `${current.person.name}> ${harmless(line)}` };
    inProgress.add(begun);
    try {
      return await perform(current, line);
    } finally {
      inProgress.delete(begun);
    }
  }

  /** Runs one line as typed; never rejects for a user's mistake. */
  async function run(typed: string): Promise<LineOutcome> {
    const line = typed.trim();
    try {
      if (!/\s&$/.test(line)) return shownSafely(await performing(line));
      const begun = line.slice(0, -1).trim();
      const outcome = performing(begun).catch((error: unknown) => refuse(shownMessage(error)));
      pending.push({ line: `${current.person.name}> ${begun}`, outcome });
      return tell('In progress. Type wait to see the result.');
    } catch (error) {
      return shownSafely(refuse(shownMessage(error)));
    }
  }

  async function completeFor(screen: Screen, line: string): Promise<Completion> {
    if (line.startsWith('/')) {
      const { part, choices } = await completion.complete(line, screen);
      return [choices.map(({ text }) => text), part];
    }
    const begins = (start: string) => (candidate: string) => candidate.toLowerCase().startsWith(start.toLowerCase());
    const [, typed, words] = /^(\S+)\s+(.*)$/.exec(line) ?? [];
    const word = typed?.toLowerCase();
    if (word === undefined || words === undefined) {
      return [STARTS.filter(begins(line)), line];
    }
    if (word === 'as') {
      const [, name, theirs] = /^(\S+)\s+(.*)$/.exec(words) ?? [];
      if (name === undefined || theirs === undefined) {
        const names = peopleIn(screen.server).filter(begins(words));
        return [names.map((name) => `${name} `), words];
      }
      return completeFor(screenOf(name, screen.serverName), theirs);
    }
    if (word === 'fault') return [demo.faults.names.filter(begins(words)), words];
    if (word === 'server') return [[...servers.keys()].filter(begins(words)), words];
    const offered =
      (Object.hasOwn(VERBS, word) ? VERBS[word] : undefined)?.candidates?.(contextOf(screen), words) ?? [];
    return [[...new Set(offered)].filter(begins(words)), words];
  }

  return {
    /** The typing person, the channel they write in, and their voice channel. */
    get prompt(): string {
      const { person, place, serverName } = current;
      const where = [
        serverName !== FIRST_SERVER && `at ${serverName}`,
        person.voiceChannel && `in ${person.voiceChannel}`,
        place !== 'general' && `(${place})`,
      ];
      return `${[person.name, ...where].filter(Boolean).join(' ')}> `;
    },
    run,
    /** The lines that have not ended, also those in the background. */
    inProgress: (): string[] => [...inProgress].map(({ line }) => line),
    /** Whether there are lines in the background whose results wait for `wait`. */
    hasPending: (): boolean => pending.length > 0,
    /** `/say` with its options as they are: a text may hold `voice:` without choosing one. */
    async say(text: string, voice: string | undefined): Promise<LineOutcome> {
      const options = { text, ...(voice === undefined ? {} : { voice }) };
      const send = () => current.person.command('say', options);
      return shownSafely(await followed(current, { kind: 'command', sound: 'expected', send }));
    },
    /** Ways to complete a line: the candidates and the part of the line they replace. */
    complete: (line: string) => completeFor(current, line),
  };
}
