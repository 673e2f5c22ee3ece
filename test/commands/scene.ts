import {
  type Action,
  type CommandCall,
  type Control,
  OfferedError,
  type Reply,
  type Services,
} from '../../src/commands/framework/command.ts';
import type { PanelContext } from '../../src/commands/settings/panel-pages.ts';
import { UserError } from '../../src/errors/user-errors.ts';
import type { Submission } from '../../src/services/playback/speaker-queue.ts';
import type { Delivery, QueueItem } from '../../src/services/queue/queue-item.ts';
import type { ServerSettings } from '../../src/services/servers/server-settings.ts';
import type { Voice } from '../../src/speech/interface/schemas.ts';
import { render } from '../../src/texts/catalog.ts';
import { silentLog } from '../silent-log.ts';

/** The bot's modules, and what tests give of each by its own name. */
const MODULES = {
  bot: [
    'billing',
    'commandIds',
    'directUse',
    'isSpeechMadeHere',
    'localVoice',
    'owners',
    'showsBalance',
    'status',
    'topUp',
  ],
  voices: ['members', 'spokenNames'],
  settings: [],
  texts: ['dictionaries'],
  speakers: ['cooldown', 'files', 'unspoken'],
  synthesizer: [],
  spending: [],
  moderation: [],
  reading: [],
  privacy: ['eraseDeleted', 'kept', 'optOuts'],
  pending: [],
  log: [],
} as const;

type Part = (typeof MODULES)[keyof Services][number];
type Some = { readonly [Name in keyof Services | Part]?: unknown };

/** These of the bot's services, and parts of them by name; the others have nothing, and the log is silent. */
export function servicesOf(given: Some): Services {
  const some: Some = { log: silentLog, ...given };
  const modules = Object.entries(MODULES).map(([module, parts]) => {
    const given = parts.filter((part) => part in some).map((part) => [part, some[part]]);
    return [module, Object.assign(some[module as keyof Services] ?? {}, Object.fromEntries(given))];
  });
  return Object.fromEntries(modules);
}

/** What somebody does in a server: a command, a control or what is typed, with these parts of the interaction. */
export function callOf<Call = CommandCall>(interaction: object, services: Some, more: object = {}): Call {
  const call = {
    interaction: {
      ...{ inCachedGuild: () => true, guildId: '9', user: { id: '7' }, locale: 'en-US', createdTimestamp: 0 },
      ...interaction,
    },
    services: servicesOf(services),
    signal: new AbortController().signal,
    answered: Promise.resolve(),
    ...{ argument: '', values: [], fields: {}, ...more },
  };
  return call as Call;
}

/** What a command or control answers in the end; a form is an error here. */
export async function replyOf<Call>(action: Action<Call>, call: Call): Promise<Reply> {
  const begun = await action.begin(call);
  if (typeof begun !== 'function') throw new Error('A form was shown');
  return begun(() => undefined);
}

/** The words of its reply. */
export const linesOf = async <Call>(action: Action<Call>, call: Call, locale?: string): Promise<string[]> =>
  (await replyOf(action, call)).lines.map((line) => render(line, locale));

/** A text in the queue, as whoever asked for it follows it. */
export const submissionOf = (item: QueueItem, delivery: Promise<Delivery>): Submission => ({
  id: item.id,
  item: () => item,
  delivery,
  isRequested: () => true,
  onChanged: () => () => undefined,
});

/** What an attempt fails with. */
export async function failureOf(attempt: () => unknown): Promise<unknown> {
  try {
    await attempt();
  } catch (error) {
    return error;
  }
  throw new Error('It should have failed');
}

/** The words of a refusal, also of one that offers something. */
export function wordsOf(error: unknown): string {
  const cause = error instanceof OfferedError ? error.cause : error;
  return cause instanceof UserError ? render(cause.text) : String(cause);
}

export const refusalOf = async (attempt: () => unknown): Promise<string> => wordsOf(await failureOf(attempt));

export function controlOf({ controls = [] }: { readonly controls?: readonly Control[] }, name: string): Control {
  const found = controls.find((control) => control.name === name);
  if (!found) throw new Error(`There is no control ${name}`);
  return found;
}

/** A voice in the service's list, which speaks every language. */
export const voiceOf = (name: string, more: Partial<Voice> = {}): Voice => ({
  ...{ id: name, name, model: 'gpro', language: 'multiple', formats: ['wav'], supports_style: true },
  ...more,
});

/** What the settings panel is drawn from, in a bot with limits and where nothing is wrong, but for what is given. */
export const panelOf = (settings: ServerSettings = {}, given: Some = {}): PanelContext => ({
  ...{ guildId: '9', settings, voices: [] },
  services: servicesOf({
    localVoice: false,
    reading: { isOn: true, problem: () => undefined, autoJoinProblem: () => undefined },
    spending: { ownerLimits: { total: 200_000, perServer: 100_000, perMember: 20_000 } },
    moderation: { problem: () => undefined },
    ...given,
  }),
});
