import type { ServerSettings } from '../../../src/services/servers/server-settings.ts';

const VOICE = { voiceId: 'amy', name: 'Amy', model: 'local' };

/** What the stores of all versions hold. Never changed, or they would have to be written anew by versions long gone. */
export const SAMPLE = {
  guildId: '100000000000000001',
  userId: '200000000000000002',
  settings: {
    defaultVoice: VOICE,
    style: 'calm',
    speed: 1.25,
    temperature: 0.5,
    forcedVoice: VOICE,
    allowedModels: ['local'],
    allowedVoices: [VOICE],
    allowedRoles: ['1'],
    blockedRoles: ['2'],
    mutedMembers: ['3', '4'],
    allowedChannels: ['5'],
    maxCharacters: 300,
    confirmAboveCharacters: 200,
    queueLimit: 9,
    memberQueueLimit: 3,
    cooldownSeconds: 4,
    creditsPerServer: 1000.5,
    creditsPerMember: 50,
    autoReadChannels: ['6'],
    autoReadVoiceChat: 'always',
    autoReadNames: 'always',
    autoReadBots: true,
    announceJoins: true,
    announceLeaves: true,
    aloneSeconds: 7,
    idleSeconds: 60,
    hushed: true,
    language: 'de',
    tags: false,
    blockedWords: ['rude', ':smile:', "it's"],
    blockedWordsMode: 'bleep',
    moderationChannel: '8',
  } satisfies ServerSettings,
  dictionary: [
    { from: 'brb', to: 'be right back', wholeWord: true },
    { from: 'É', to: ':e', wholeWord: false, caseSensitive: true },
  ],
  own: { voice: VOICE, style: 'whispering', speed: 0.75, temperature: 1 },
  /** One value of each table that only the bot itself reads. */
  notices: {
    welcomes: ['100000000000000001', { joinedAtMs: 1_700_000_000_000 }],
    'vanished-voices': ['100000000000000001', { voiceIds: ['gone'] }],
    departures: ['100000000000000009', { leftAtMs: 1_700_000_000_000 }],
    'voice-loudness': ['amy', { lufs: -20.5, seconds: 12, gainDb: 2.5 }],
    registration: ['commands', 'a-hash'],
  } as const,
  spent: { day: '2026-01-31', model: 'local', characters: 120, millicredits: 5_000, keptUntil: '9999-12-31' },
  billedMillicredits: 4_000,
  rate: { characters: 120, credits: 4 },
} as const;
