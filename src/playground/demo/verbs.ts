import { writeFileSync } from 'node:fs';
import { basename, join, parse } from 'node:path';
import { makeFolder } from '../../process/new-folder.ts';
import type { SentInteraction, VisibleMember, VisibleMessage } from '../interface/world-types.ts';
import { DISCORD_LOCALES } from '../rest/rules/command-names.ts';
import { type Acted, type LineOutcome, type Overheard, refuse, tell } from './follow.ts';
import { fieldInputs, offeredByMenus, picks, picksByName } from './menus-and-forms.ts';
import {
  buttonsMeant,
  buttonsOnScreen,
  channelMeant,
  commandMeant,
  fieldsLeft,
  findChoice,
  hearersIn,
  memberMeant,
  onScreen,
  type Screen,
  unknownField,
} from './screen.ts';
import { describeMessage } from './show.ts';
import { typedPath } from './typed-path.ts';

/** As Discord writes it, in whatever case it was typed. */
const languageCalled = (code: string): string | undefined =>
  [...DISCORD_LOCALES].find((language) => language.toLowerCase() === code.toLowerCase());

/** The session's operations for a verb, besides the person's own acts. */
export interface VerbContext {
  readonly screen: Screen;
  /** Follows an interaction until the bot has answered; a message command that speaks is listened to. */
  follow(send: () => Promise<SentInteraction>): Promise<LineOutcome>;
  /** Shows the act, and listens whether the bot reads it out or announces it. */
  overhear(overheard: Overheard, run: () => Acted): Promise<LineOutcome>;
  contextCommands(kind: 'member' | 'message'): readonly string[];
}

interface Verb {
  readonly usage: string;
  readonly about: string;
  run(context: VerbContext, words: string): LineOutcome | Promise<LineOutcome>;
  /** What it can be given, as far as it was typed. */
  candidates?(context: VerbContext, typed: string): readonly string[];
}

const CHANNELS = ['General', 'Lounge', 'Full', 'Locked', 'Quiet', 'Stage'];
const SHOWN_MESSAGES = 8;

/** A person's own acts; each throws where Discord's client would refuse. */
const act = (run: (screen: Screen, words: string) => string) => (context: VerbContext, words: string) =>
  tell(run(context.screen, words));

const channels = ({ server }: Screen): string[] => server.channels.map(({ name }) => name);

/** Where one can write: direct messages with other members too, which few look for. */
const places = (screen: Screen): string[] => [...channels(screen), '@bot'];

const voiceChannels = ({ server }: Screen): string[] =>
  server.channels.filter(({ kind }) => kind === 'voice' || kind === 'stage').map(({ name }) => name);

/** They hear what the bot says of those who come and go. */
const othersIn = (screen: Screen, channel: string) =>
  hearersIn(screen, channel).filter(({ name }) => name !== screen.person.name);

const placeName = (place: string): string => (place.startsWith('@') ? place : `#${place}`);

/** The bot too, by the name that people see: `bot` is this program's. */
const people = ({ screen }: Pick<VerbContext, 'screen'>): string[] => screen.server.members.map(nameOf);

const nameOf = ({ name, displayName, isBot }: VisibleMember): string => (isBot ? displayName : name);

/** The member who is meant, the bot too; throws with the names where there is none. */
function someone(screen: Screen, typed: string): { readonly who: string; readonly called: string } {
  const who = memberMeant(screen, typed);
  const found = screen.server.members.find(({ name }) => name === who);
  if (found) return { who, called: nameOf(found) };
  const missing = typed === '' ? 'Name a member' : `There is no member ${typed}`;
  throw new Error(`${missing}; there are: ${people({ screen }).join(', ')}.`);
}

/** Discord offers commands in direct messages only where the bot was registered for them. */
export const hintOfDirectUse = ({ person, place }: Screen): string =>
  place === '@bot' && !person.seesCommands({ in: place }).some(({ name }) => name === 'say')
    ? ' Use in direct messages is off: start the playground with --set DIRECT_USE=on.'
    : '';

/** Under another name where there is a file of that name, as a browser does; returns its path. */
function saveUnder(path: string, bytes: Uint8Array): string {
  const { dir, name, ext } = parse(path);
  for (let number = 1; ; number++) {
    const free = number === 1 ? path : join(dir, `${name}-${number}${ext}`);
    try {
      writeFileSync(free, bytes, { flag: 'wx' });
      return free;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

/** Throws, with a message for the user, where the folder cannot take files. */
function saveIn(typed: string, files: VisibleMessage['files']): string[] {
  const folder = typedPath(typed);
  try {
    makeFolder(folder);
    return files.map(({ name, bytes }) => saveUnder(join(folder, basename(name)), bytes));
  } catch (error) {
    throw new Error(
      `Nothing can be saved in ${folder}: ${(error as Error).message}. Name another folder: save FOLDER.`,
    );
  }
}

const splitTwo = (words: string): [string, string] => {
  const [first = '', ...rest] = words.split(/\s+/);
  return [first, rest.join(' ')];
};

export const VERBS: Readonly<Record<string, Verb>> = {
  join: {
    usage: 'join CHANNEL',
    about: `join a voice channel, or move to it: ${CHANNELS.join(', ')}`,
    run({ screen, overhear }, typed) {
      const { person } = screen;
      const channel = channelMeant(voiceChannels(screen), typed);
      return overhear({ cause: 'arrival', hearers: othersIn(screen, channel) }, () => {
        if (person.voiceChannel === undefined) person.joins(channel);
        else person.moves(channel);
        return { shown: `Joined ${person.voiceChannel}.` };
      });
    },
    candidates: ({ screen }) => voiceChannels(screen),
  },
  leave: {
    usage: 'leave',
    about: 'leave the voice channel',
    run({ screen, overhear }) {
      const { person } = screen;
      const { voiceChannel } = person;
      if (voiceChannel === undefined) return refuse('You’re not in a voice channel.');
      return overhear({ cause: 'departure', hearers: othersIn(screen, voiceChannel) }, () => {
        person.leaves();
        return { shown: 'You left the voice channel.' };
      });
    },
  },
  in: {
    usage: 'in PLACE',
    about:
      'write and use commands elsewhere from now on, as any member: a channel, or @bot for direct messages with the bot',
    run: act((screen, typed) => {
      const [first, line] = splitTwo(typed);
      const known = channels(screen).map((name) => name.toLowerCase());
      const isPlace = first.startsWith('@') || known.includes(first.toLowerCase());
      if (line !== '' && isPlace && !known.includes(typed.toLowerCase())) {
        throw new Error(`A place stands alone: type in ${first}, then ${line}`);
      }
      const place = typed.startsWith('@') ? typed.toLowerCase() : channelMeant(places(screen), typed);
      screen.person.sees(place);
      screen.place = place;
      // A text channel may have the same name, but for its case.
      const chat = voiceChannels(screen).includes(place) ? ', the chat of a voice channel' : '';
      return `Now writing in ${place}${chat}.${hintOfDirectUse(screen)}`;
    }),
    candidates: ({ screen }) => places(screen),
  },
  write: {
    usage: 'write TEXT',
    about: 'write a message; begin it with @silent to notify nobody',
    run({ screen, overhear }, words) {
      const { person, place } = screen;
      if (words === '') return refuse('Type the message behind it: write TEXT.');
      // Read out where the bot has listeners, else it comes to the author.
      const listeners = voiceChannels(screen).flatMap((channel) => hearersIn(screen, channel));
      const others = listeners.filter(({ name }) => name !== person.name);
      const hearers = others.length === listeners.length && others.length > 0 ? others : [person, ...others];
      return overhear({ cause: 'message', hearers }, () => {
        const message = person.says(words, { in: place });
        const { messageId } = message;
        return { shown: describeMessage(message, person.language, placeName(place)), messageId };
      });
    },
  },
  read: {
    usage: 'read',
    about: 'show the messages of the channel',
    run({ screen }) {
      const messages = onScreen(screen).slice(-SHOWN_MESSAGES);
      return messages.length > 0
        ? { ok: true, shown: messages.map((message) => describeMessage(message, screen.person.language)), replies: [] }
        : tell('No messages here yet.');
    },
  },
  save: {
    usage: 'save FOLDER',
    about: 'download the files of the newest message that has any',
    run({ screen }, folder) {
      const found = onScreen(screen).findLast((message) => message.files.length > 0);
      if (!found) return refuse('There are no files to save here.');
      if (folder === '') return refuse('Name a folder: save FOLDER.');
      const paths = saveIn(folder, found.files);
      // A file may have come with an edit, whose time is not known.
      const isOlder = !found.edited && found.createdAtMs < screen.askedAtMs;
      const note = isOlder ? ' The last command made no file: this is from an older message.' : '';
      return tell(`Saved ${paths.join(', ')}.${note}`);
    },
  },
  press: {
    usage: 'press BUTTON',
    about: 'press a button of the newest message that has it',
    run({ screen, follow }, words) {
      const [button, ...others] = buttonsMeant(screen, words);
      if (button && others.length > 0) {
        const labels = [button, ...others].map(({ label }) => label);
        return refuse(`Several buttons begin with ${words}: ${labels.join(', ')}. Type more of the one you mean.`);
      }
      if (button) return follow(() => screen.person.presses(button.message, button.customId));
      const there = [...new Set(buttonsOnScreen(screen).map(({ label }) => label))];
      if (there.length === 0) return refuse('There are no buttons here.');
      const missing = words === '' ? 'Name a button' : `There is no button ${words} here`;
      return refuse(`${missing}; there are: ${there.join(', ')}.`);
    },
    candidates: ({ screen }) => buttonsOnScreen(screen).map(({ label }) => label),
  },
  pick: {
    usage: 'pick CHOICE',
    about: 'pick from a menu: a choice (several with commas), or MENU=CHOICE',
    run({ screen, follow }, words) {
      const found = findChoice(screen, words);
      return follow(() => (found ? picks(screen, found.menu, found.values) : picksByName(screen, words)));
    },
    candidates: ({ screen }) => offeredByMenus(screen, ''),
  },
  fill: {
    usage: 'fill FIELD=TEXT …',
    about:
      'fill in the form that is open, and submit it: FIELD is a label, or a part of it; \\n is a new line (in a form alone), a file field takes a path',
    run({ screen, follow }, words) {
      const { modal, person } = screen;
      if (!modal) return refuse('No form is open.');
      const unknown = unknownField(modal, words);
      if (unknown !== undefined) {
        return refuse(
          `The form has no field ${unknown}; it has: ${modal.fields.map(({ label }) => label).join(', ')}.`,
        );
      }
      const left = fieldsLeft(modal, words);
      if (left.length > 1) return refuse(`Name the field, as in ${left[0]}=TEXT; the form has: ${left.join(', ')}.`);
      return follow(async () => {
        const sent = await person.submits(modal, fieldInputs(screen, words));
        screen.modal = undefined;
        return sent;
      });
    },
    candidates: ({ screen }) => (screen.modal?.fields ?? []).map(({ label }) => `${label}=`),
  },
  apps: {
    usage: 'apps COMMAND',
    about: 'use a message command on the newest message that everybody sees (apps COMMAND on NAME: a member command)',
    run({ screen, follow, contextCommands }, words) {
      const { person, place } = screen;
      const called = (kind: 'message' | 'member', typed: string) => commandMeant(contextCommands(kind), typed);
      const command = called('message', words);
      if (command !== undefined) {
        const newest = onScreen(screen).findLast(({ ephemeral }) => !ephemeral);
        return newest
          ? follow(() => person.usesOnMessage(command, newest))
          : refuse(`There are no messages in ${place} yet. Write one first.`);
      }
      const [, named, who] = /^(.*) on (\S+)$/.exec(words) ?? [];
      if (named !== undefined && who !== undefined) {
        return follow(() =>
          person.usesOnMember(called('member', named) ?? named, memberMeant(screen, who), { in: place }),
        );
      }
      const there = [...contextCommands('message'), ...contextCommands('member').map((name) => `${name} on NAME`)];
      const missing = words === '' ? 'Name a command' : `There is no ${words} under Apps`;
      return refuse(`${missing}; there are: ${there.join(', ') || 'none'}.`);
    },
    candidates: (context, typed) => [
      ...context.contextCommands('message'),
      ...context
        .contextCommands('member')
        .flatMap((name) =>
          typed.includes(' on ') ? people(context).map((who) => `${name} on ${who}`) : [`${name} on `],
        ),
    ],
  },
  language: {
    usage: 'language CODE',
    about: 'set your Discord language: en-US, de, es-ES …',
    run({ screen: { person } }, code) {
      const language = languageCalled(code);
      if (language === undefined) {
        const known = [...DISCORD_LOCALES];
        if (code === '') return refuse(`Name a language: ${known.join(', ')}.`);
        const regional = known.filter((one) => one.startsWith(`${code.toLowerCase()}-`));
        return refuse(
          regional.length > 0
            ? `Discord has no language ${code}: did you mean ${regional.join(' or ')}?`
            : `Discord has no language ${code}; it has: ${known.join(', ')}.`,
        );
      }
      person.setsLanguage(language);
      return tell(`Your Discord language is now ${language}.`);
    },
    candidates: () => [...DISCORD_LOCALES],
  },
  people: {
    usage: 'people',
    about: 'list who is in this server, with their IDs, which options take where names are not known',
    run: act(({ server }) => {
      const width = Math.max(...server.members.map((member) => nameOf(member).length));
      return server.members.map((member) => `${nameOf(member).padEnd(width)}  ${member.id}`).join('\n');
    }),
  },
  install: {
    usage: 'install',
    about: 'add the bot to your own account, to use it everywhere',
    run: act(({ person }) => {
      person.installsApp();
      return 'The bot is now installed for you: you can use it anywhere, even in servers it is not in.';
    }),
  },
  raise: {
    usage: 'raise',
    about: 'raise your hand on a stage',
    run: act(({ person }) => {
      person.raisesHand();
      return 'Hand raised.';
    }),
  },
  invite: {
    usage: 'invite NAME',
    about: 'let someone (or the bot) speak on a stage; only olga can',
    run: act((screen, typed) => {
      const { who, called } = someone(screen, typed);
      const isOnStage = screen.server.channels.some(({ kind, members }) => kind === 'stage' && members.includes(who));
      if (who === 'bot' && !isOnStage) {
        throw new Error(
          `${called} is on no stage. It requests to speak there after a /say, and waits a minute to be invited.`,
        );
      }
      screen.person.invitesToSpeak(who);
      return `${called} can speak now.`;
    }),
    candidates: people,
  },
  drag: {
    usage: 'drag NAME CHANNEL',
    about: 'move someone (or the bot) to another voice channel; only olga can',
    run: act((screen, words) => {
      const [first, second] = splitTwo(words);
      const { who, called } = someone(screen, first);
      const channel = channelMeant(voiceChannels(screen), second);
      screen.person.drags(who, channel);
      return `${called} is in ${channel} now.`;
    }),
    candidates: (context, typed) =>
      people(context).flatMap((who) =>
        typed.includes(' ') ? voiceChannels(context.screen).map((channel) => `${who} ${channel}`) : [`${who} `],
      ),
  },
  disconnect: {
    usage: 'disconnect NAME',
    about: 'disconnect someone (or the bot) from voice; only olga can',
    run: act((screen, typed) => {
      const { who, called } = someone(screen, typed);
      screen.person.disconnects(who);
      return `${called} was disconnected from voice.`;
    }),
    candidates: people,
  },
};
