import type { Services } from '../../src/commands/framework/command.ts';

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

/** These of the bot's services, and parts of them by name; the others have nothing. */
export function servicesOf(some: { readonly [Name in keyof Services | Part]?: unknown }): Services {
  const modules = Object.entries(MODULES).map(([module, parts]) => {
    const given = parts.filter((part) => part in some).map((part) => [part, some[part]]);
    return [module, Object.assign(some[module as keyof Services] ?? {}, Object.fromEntries(given))];
  });
  return Object.fromEntries(modules);
}
