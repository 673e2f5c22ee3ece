import { nearestWord } from '../../process/nearest-word.ts';
import type { FieldInput } from '../people/component-use.ts';
import type { Person } from '../people/person.ts';
import type { SentInteraction } from '../people/sent-interaction.ts';
import { NotKnown, parseCommandLine, splitAtNames } from '../people/typed-command.ts';
import type { VisibleMessage } from '../people/views.ts';
import type { VisibleModal } from '../people/visible-components.ts';
import { DISCORD_LOCALES } from '../rest/rules/command-rules.ts';
import { OPTION } from '../state/model.ts';
import { createCompletion, harmless } from '../world/completion.ts';
import type { WorldServer } from '../world/world-server.ts';
import type { Demo } from './demo.ts';
import { describeMessage, follow, type LineOutcome, refuse, shownMessage, tell } from './follow.ts';
import { choiceOf, find, meant, several } from './meant.ts';
import { FIRST_SERVER } from './program-flags.ts';
import { fileAt, type RecordTo } from './run-files.ts';

export interface DemoSession {
  /** The prompt names the acting member, the channel in which the member writes, and the member's voice channel. */
  readonly prompt: string;
  /** Runs one typed line. Never rejects because of a user's mistake. */
  run(line: string): Promise<LineOutcome>;
  /** Runs `/say` with separate options: a text that contains `voice:` does not choose a voice. */
  say(text: string, voice: string | undefined): Promise<LineOutcome>;
  /** Returns candidates that complete a typed line, and the part of the line that a candidate replaces. */
  complete(line: string): Promise<[string[], string]>;
}

interface Verb {
  readonly usage: string;
  readonly about: string;
  run(words: string, person: Person): LineOutcome | Promise<LineOutcome> | string;
}

const SHOWN_MESSAGES = 8;

/**
 * Everything that can be typed at the prompt. `recordTo` names the next recording's file. `pageAddress` returns the
 * playground page's address, if there is a page.
 */
export function createDemoSession(
  demo: Demo,
  recordTo: RecordTo,
  pageAddress: () => string | undefined = () => undefined,
): DemoSession {
  const { world } = demo;
  const completion = createCompletion(() => world.bot.commands);
  const servers = new Map<string, WorldServer>([[FIRST_SERVER, world]]);
  let server: WorldServer = world;
  /** The place in which the prompt's member writes: a channel's name, or `@bot` for direct messages with the bot. */
  let place = 'general';
  let acting = world.member('olga');
  const modals = new Map<string, VisibleModal>();

  const channels = () => server.channels.map(({ name }) => name);
  const voiceChannels = () =>
    server.channels.filter(({ kind }) => kind === 'voice' || kind === 'stage').map(({ name }) => name);
  const people = () => server.members.filter(({ isBot }) => !isBot).map(({ name }) => name);
  const member = (typed: string) =>
    meant('member', server.members, typed, ({ name, displayName }) => [name, displayName]).name;
  const voiceChannel = (typed: string) => meant('voice channel', voiceChannels(), typed.replace(/^#/, ''));

  function onScreen(person: Person): readonly VisibleMessage[] {
    const places = new Set([place, person.voiceChannel ?? place]);
    return [...places].flatMap((name) => person.sees(name)).sort((a, b) => a.createdAtMs - b.createdAtMs);
  }
  const newestFirst = (person: Person) => onScreen(person).toReversed();
  const buttons = (person: Person) =>
    newestFirst(person).flatMap((message) =>
      message.buttons.flatMap(({ label, emoji, customId, disabled }) =>
        customId === undefined || disabled ? [] : [{ message, label: label || (emoji ?? customId), customId }],
      ),
    );
  const menus = (person: Person) =>
    newestFirst(person).flatMap((message) =>
      message.menus.filter(({ disabled }) => !disabled).map((menu) => ({ ...menu, message })),
    );
  const underApps = (person: Person) =>
    person
      .seesCommands({ in: place })
      .filter(({ kind }) => kind === 'message')
      .map(({ name }) => name);

  async function followed(
    person: Person,
    send: () => Promise<SentInteraction>,
    isSpeech = false,
  ): Promise<LineOutcome> {
    const outcome = await follow(demo, recordTo, { person, isSpeech, send });
    if (outcome.modal) modals.set(person.id, outcome.modal);
    return outcome;
  }

  async function sendCommand(person: Person, line: string): Promise<SentInteraction> {
    const { chosen, values } = parseCommandLine(world.bot.commands, completion.chosen(line));
    for (const option of chosen.options) {
      const { [option.name]: typed } = values;
      if (typeof typed !== 'string') continue;
      if (option.type === OPTION.attachment) values[option.name] = fileAt(typed);
      else if (option.choices?.length) values[option.name] = choiceOf(option, typed, person.language);
    }
    const path = [chosen.command.name, ...chosen.steps.map(({ name }) => name)].join(' ');
    return person.command(path, values, { in: place });
  }

  /**
   * Picks in a menu: `CHOICE, CHOICE` uses the newest menu with these choices, `MENU=CHOICE` names the menu. Menus of
   * people, roles and channels take names.
   */
  async function pick(person: Person, words: string): Promise<SentInteraction> {
    const all = menus(person);
    const [, name, rest = ''] = /^([^=]+)=(.*)$/.exec(words) ?? [];
    const named =
      name === undefined
        ? undefined
        : find(all, name.trim(), ({ placeholder, options }) => [
            placeholder,
            ...options.filter(({ chosen }) => chosen).map(({ label }) => label),
          ]);
    const [wanted, among] = named ? [rest, [named]] : [words, all];
    for (const { message, customId, options } of among) {
      // Tries the typed words as a single label first, because a label may contain a comma.
      for (const typed of [[wanted.trim()], several(wanted)]) {
        const values = typed.map((one) => find(options, one, ({ label }) => [label])?.value);
        if (values.every((value) => value !== undefined)) return person.selects(message, customId, values);
      }
    }
    for (const { message, customId, options } of among) {
      if (options.length > 0 || wanted === '') continue;
      try {
        return await person.selects(message, customId, several(wanted));
      } catch (error) {
        if (!(error instanceof NotKnown)) throw error;
      }
    }
    const offered = among.flatMap(({ options, placeholder }) =>
      options.length > 0 ? options.map(({ label }) => label) : `${placeholder}=NAME`,
    );
    throw new Error(`No menu here offers ${wanted}; there are: ${[...new Set(offered)].join(', ') || 'none'}.`);
  }

  /**
   * Reads `FIELD=TEXT …` with labels of the form or names of the command's options. Words before the first name fill
   * the first field.
   */
  function fieldsOf(modal: VisibleModal, words: string) {
    const names = new Map(
      modal.fields.flatMap((field) => [
        [field.customId.toLowerCase(), field] as const,
        [field.label.toLowerCase(), field] as const,
      ]),
    );
    const { leading, named } = splitAtNames(words, [...names.keys()], '=', 'giu');
    const given = new Map(named.map(([name, typed]) => [names.get(name.toLowerCase()), typed]));
    if (leading !== '') {
      const left = modal.fields.filter((field) => !given.has(field));
      if (left.length !== 1 && modal.fields.length > 1)
        throw new Error(`Name the field, as in ${modal.fields.map(({ label }) => `${label}=TEXT`).join(' ')}.`);
      given.set(left[0], leading);
    }
    const inputs: Record<string, FieldInput> = {};
    for (const [field, typed] of given) {
      if (!field) continue;
      const { kind, options, customId } = field;
      if (kind === 'file') inputs[customId] = fileAt(typed);
      // A line at the prompt has no line breaks: `\n` stands for a line break.
      else if (['text', 'paragraph', 'checkbox'].includes(kind)) inputs[customId] = typed.replaceAll('\\n', '\n');
      else inputs[customId] = several(typed).map((one) => find(options, one, (label) => [label]) ?? one);
    }
    return inputs;
  }

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
        const other = server.member(meant('member', people(), name));
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
        const next = words.startsWith('@')
          ? words.toLowerCase()
          : meant('channel', channels(), words.replace(/^#/, ''));
        person.sees(next);
        place = next;
        return `Now writing in ${next}${voiceChannels().includes(next) ? ', the chat of a voice channel' : ''}.`;
      },
    },
    server: {
      usage: 'server NAME',
      about: 'go to another server, created if there is none of that name',
      run(name, person) {
        if (name === '') return refuse('A name is missing: server NAME.');
        const next = servers.get(name) ?? world.newServer(name);
        servers.set(name, next);
        [server, place, acting] = [next, 'general', next.member(person.name)];
        return `Now in the server ${name}.`;
      },
    },
    newcomer: {
      usage: 'newcomer NAME',
      about: 'a new member joins the server',
      run(name) {
        if (!/^\S+$/.test(name) || people().includes(name))
          return refuse('A new name of one word, please: newcomer NAME.');
        server.newMember(name);
        return `${name} is a member now: as ${name} …`;
      },
    },
    people: {
      usage: 'people',
      about: 'list who is in this server, with their IDs, which options take where names are not known',
      run: () =>
        server.members.map(({ name, displayName, isBot, id }) => `${isBot ? displayName : name}  ${id}`).join('\n'),
    },
    join: {
      usage: 'join CHANNEL',
      about: 'join a voice channel, or move to it',
      run(words, person) {
        const channel = voiceChannel(words);
        person.joins(channel);
        return `Joined ${channel}.`;
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
      about: 'press a button of the newest message that has it',
      run(words, person) {
        const byLabel = new Map(
          buttons(person)
            .toReversed()
            .map((button) => [button.label, button]),
        );
        const { message, customId } = meant('button', [...byLabel.values()], words, ({ label }) => [label]);
        return followed(person, () => person.presses(message, customId));
      },
    },
    pick: {
      usage: 'pick CHOICE',
      about: 'pick from a menu: a choice (several with commas), or MENU=CHOICE',
      run: (words, person) => followed(person, () => pick(person, words)),
    },
    fill: {
      usage: 'fill FIELD=TEXT …',
      about: 'fill in the form that is open, and submit it; \\n is a new line, a file field takes a path',
      run(words, person) {
        const modal = modals.get(person.id);
        if (!modal) return refuse('No form is open.');
        return followed(person, async () => {
          const sent = await person.submits(modal, fieldsOf(modal, words));
          modals.delete(person.id);
          return sent;
        });
      },
    },
    apps: {
      usage: 'apps COMMAND',
      about: 'use a message command on the newest message that everybody sees',
      run(words, person) {
        const name = meant('message command', underApps(person), words);
        const newest = newestFirst(person).find(({ ephemeral }) => !ephemeral);
        if (!newest) return refuse('There are no messages here yet. Write one first.');
        return followed(person, () => person.usesOnMessage(name, newest));
      },
    },
    language: {
      usage: 'language CODE',
      about: 'set your Discord language: en-US, de, es-ES …',
      run(words, person) {
        const language = meant('language', [...DISCORD_LOCALES], words);
        person.setsLanguage(language);
        return `Your Discord language is now ${language}.`;
      },
    },
    invite: {
      usage: 'invite NAME',
      about: 'let someone (or the bot) speak on a stage; only olga can',
      run(words, person) {
        person.invitesToSpeak(member(words));
        return 'Invited to speak.';
      },
    },
    drag: {
      usage: 'drag NAME CHANNEL',
      about: 'move someone (or the bot) to another voice channel; only olga can',
      run(words, person) {
        const [name = '', ...channel] = words.split(/\s+/);
        person.drags(member(name), voiceChannel(channel.join(' ')));
        return 'Moved.';
      },
    },
    disconnect: {
      usage: 'disconnect NAME',
      about: 'disconnect someone (or the bot) from voice; only olga can',
      run(words, person) {
        person.disconnects(member(words));
        return 'Disconnected.';
      },
    },
    faults: {
      usage: 'faults',
      about: 'list what Discord, or this machine, can do to the bot',
      run: () => demo.faults.text(),
    },
    fault: {
      usage: 'fault NAME',
      about: 'make one of them happen',
      run: async (words) => (words === '' ? tell(demo.faults.text()) : tell(await demo.faults.set(server, words))),
    },
    page: {
      usage: 'page',
      about: 'show the address of the page in the browser; once it was opened, the next one',
      run: () => pageAddress() ?? 'There is no page: start the playground without --no-page.',
    },
    environment: {
      usage: 'environment',
      about: 'show the variables with which npm run doctor asks this Discord',
      // Prints lines for a shell that connect another bot. The token is valid only for this loopback Discord, while the
      // playground runs.
      run: () =>
        Object.entries(world.botEnv)
          .map(([name, value]) => `${name}=${value}`)
          .join('\n'),
    },
  };

  function helpText(): string {
    const entry = (usage: string, about: string) => `  ${usage.padEnd(18)} ${about}`;
    const commands = world.bot.commands.map(({ name, type, description }) =>
      type === 1 ? entry(`/${name}`, description) : entry(`apps ${name}`, ''),
    );
    const own = Object.values(verbs).map(({ usage, about }) => entry(usage, about));
    return ['The bot understands:', ...commands, 'The playground understands:', ...own].join('\n');
  }

  const verbCalled = (word: string) => (Object.hasOwn(verbs, word) ? verbs[word] : undefined);

  async function perform(person: Person, line: string): Promise<LineOutcome> {
    if (line.startsWith('/')) {
      const isSpeech = /^\/say\b/.test(line) && person.voiceChannel !== undefined;
      return followed(person, () => sendCommand(person, line), isSpeech);
    }
    const [typed = ''] = line.split(/\s/);
    const verb = verbCalled(typed.toLowerCase());
    if (verb) {
      const done = await verb.run(line.slice(typed.length).trim(), person);
      return typeof done === 'string' ? tell(done) : done;
    }
    const slash = world.bot.commands.map(({ name }) => `/${name}`);
    const nearest = nearestWord(typed.toLowerCase(), [...Object.keys(verbs), ...slash]);
    const hint = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
    return refuse(
      `Unknown command: ${typed}.${hint} The bot’s commands start with /, as in /say; help lists everything.`,
    );
  }

  async function completeFor(person: Person, line: string): Promise<[string[], string]> {
    if (line.startsWith('/')) {
      const { part, choices } = await completion.complete(line, { person, server, place });
      return [choices.map(({ text }) => text), part];
    }
    const [, name = '', theirs] = /^as\s+(\S+)\s+(.*)$/.exec(line) ?? [];
    if (theirs !== undefined) return completeFor(server.member(meant('member', people(), name)), theirs);
    return [Object.keys(verbs).filter((word) => word.startsWith(line)), line];
  }

  const shownSafely = (outcome: LineOutcome): LineOutcome => ({ ...outcome, shown: outcome.shown.map(harmless) });

  return {
    get prompt(): string {
      const where = [
        server.name !== FIRST_SERVER && `at ${server.name}`,
        acting.voiceChannel && `in ${acting.voiceChannel}`,
        place !== 'general' && `(${place})`,
      ];
      return `${[acting.name, ...where].filter(Boolean).join(' ')}> `;
    },
    async run(line: string): Promise<LineOutcome> {
      try {
        return shownSafely(await perform(acting, line.trim()));
      } catch (error) {
        return shownSafely(refuse(shownMessage(error)));
      }
    },
    async say(text: string, voice: string | undefined): Promise<LineOutcome> {
      const options: Record<string, string> = voice === undefined ? { text } : { text, voice };
      return shownSafely(await followed(acting, () => acting.command('say', options), true));
    },
    complete: (line: string) => completeFor(acting, line),
  };
}
