import { randomBytes } from 'node:crypto';
import type { Clock, NewId } from './hub.ts';
import type { Application, Channel, ChannelKind, Guild, Member, Model, Role, User } from './model.ts';
import { type PermissionName, permissionBits } from './permissions.ts';

/** Discord's permissions of `@everyone`, without those that never matter in the playground. */
const EVERYONE: readonly PermissionName[] = [
  'ViewChannel',
  'CreateInstantInvite',
  'ChangeNickname',
  'AddReactions',
  'Stream',
  'SendMessages',
  'SendVoiceMessages',
  'EmbedLinks',
  'AttachFiles',
  'ReadMessageHistory',
  'UseExternalEmojis',
  'Connect',
  'Speak',
  'UseVAD',
  'UseApplicationCommands',
  'RequestToSpeak',
  'SendMessagesInThreads',
  'UseExternalStickers',
  'UseExternalApps',
];

/** The permissions of the README's invite link, as test/repository/readme.test.ts checks. */
const BOT: readonly PermissionName[] = [
  'ViewChannel',
  'SendMessages',
  'SendMessagesInThreads',
  'SendVoiceMessages',
  'AttachFiles',
  'Connect',
  'Speak',
  'RequestToSpeak',
];

const BOT_NAME = 'Crier';

/** Discord's size limit for uploaded files: https://discord.com/developers/docs/reference#uploading-files */
export const ATTACHMENT_LIMIT_BYTES = 10 * 1024 * 1024;

export type NewServer = ReturnType<typeof createServer>;

export function newUser(newId: NewId, username: string, bot = false): User {
  const displayName = bot ? null : username.charAt(0).toUpperCase() + username.slice(1);
  return { id: newId(`user ${username}`), username, displayName, bot, locale: 'en-US' };
}

export function newMember(clock: Clock, guildId: string, userId: string, roles: string[] = []): Member {
  return { userId, guildId, nick: null, roles, joinedAtMs: clock.now(), deaf: false, mute: false, timedOutUntilMs: 0 };
}

type NewChannel = Partial<Channel> & { readonly id: string; readonly kind: ChannelKind; readonly name: string };

export const usualChannel = (details: NewChannel): Channel => ({
  guildId: undefined,
  position: 0,
  userLimit: 0,
  overwrites: [],
  lastMessageId: null,
  participants: undefined,
  parentId: undefined,
  ownerId: undefined,
  isPrivate: false,
  isLocked: false,
  ...details,
});

export function newChannel(
  newId: NewId,
  guild: Guild,
  name: string,
  kind: ChannelKind,
  details: Partial<Channel> = {},
): Channel {
  const id = newId(`channel ${guild.id} ${name}`);
  const position = guild.channels.size;
  const channel = usualChannel({ id, guildId: guild.id, kind, name, position, ...details });
  guild.channels.set(channel.id, channel);
  return channel;
}

const newToken = (botId: string) =>
  [
    Buffer.from(botId).toString('base64url'),
    randomBytes(4).toString('base64url'),
    randomBytes(28).toString('base64url'),
  ].join('.');

/** The bot posts a welcome message only within a day of joining, so it posts none after this time. */
const AT_HOME_FOR_MS = 60 * 24 * 60 * 60_000;

export function createStartingModel(clock: Clock, newId: NewId, flags: number) {
  const people = ['olga', 'alice', 'bob', 'frank'].map((name) => newUser(newId, name));
  const [owner] = people;
  if (!owner) throw new Error('A server needs an owner');
  const bot = newUser(newId, BOT_NAME, true);
  const application: Application = {
    id: bot.id,
    name: BOT_NAME,
    token: newToken(bot.id),
    botId: bot.id,
    ownerId: owner.id,
    flags,
  };
  const model: Model = {
    application,
    users: new Map([...people, bot].map((user) => [user.id, user])),
    guilds: new Map(),
    dms: new Map(),
    userInstalls: new Set(),
    messages: new Map(),
    uploads: new Map(),
    globalCommands: new Map(),
    guildCommands: new Map(),
    commandCreations: new Map(),
  };
  return { model, ...createServer(model, clock, newId, 'Playground', { settled: true }) };
}

export function createServer(
  model: Model,
  clock: Clock,
  newId: NewId,
  name: string,
  { settled }: { readonly settled: boolean },
) {
  const { botId, ownerId } = model.application;
  const guildId = newId(`server ${name}`);
  const everyone: Role = {
    id: guildId,
    name: '@everyone',
    permissions: permissionBits(EVERYONE),
    position: 0,
    botId: undefined,
  };
  const botRole: Role = {
    id: newId(`role ${guildId} ${BOT_NAME}`),
    name: BOT_NAME,
    permissions: permissionBits(BOT),
    position: 1,
    botId,
  };
  const member = (userId: string): Member => {
    if (userId !== botId) return newMember(clock, guildId, userId);
    const joinedAtMs = clock.now() - (settled ? AT_HOME_FOR_MS : 0);
    return { ...newMember(clock, guildId, userId, [botRole.id]), joinedAtMs };
  };
  const guild: Guild = {
    id: guildId,
    name,
    ownerId,
    locale: 'en-US',
    available: true,
    systemChannelId: null,
    roles: new Map([everyone, botRole].map((role) => [role.id, role])),
    channels: new Map(),
    members: new Map([...model.users.keys()].map((userId) => [userId, member(userId)])),
    voiceStates: new Map(),
  };
  addChannels(newId, guild, botId);
  model.guilds.set(guildId, guild);
  return { guild, botRole };
}

function addChannels(newId: NewId, guild: Guild, botId: string): void {
  const denyBot = (channel: Channel, permission: PermissionName) =>
    channel.overwrites.push({ id: botId, kind: 'member', allow: 0n, deny: permissionBits([permission]) });
  guild.systemChannelId = newChannel(newId, guild, 'general', 'text').id;
  newChannel(newId, guild, 'General', 'voice');
  newChannel(newId, guild, 'Lounge', 'voice');
  newChannel(newId, guild, 'Full', 'voice', { userLimit: 1 });
  denyBot(newChannel(newId, guild, 'Locked', 'voice'), 'Connect');
  denyBot(newChannel(newId, guild, 'Quiet', 'voice'), 'Speak');
  newChannel(newId, guild, 'Stage', 'stage');
}
