import { randomBytes } from 'node:crypto';
import type { Clock } from './clock.ts';
import type { Application, Channel, ChannelKind, Guild, Member, Model, Role, User } from './model.ts';
import { type PermissionName, permissionBits } from './permissions.ts';

/** What Discord gives `@everyone` in a new server, as far as it matters here. */
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
];

/** What the invite link asks for: a bot that speaks, answers and attaches files. */
const BOT: readonly PermissionName[] = [
  'ViewChannel',
  'SendMessages',
  'SendVoiceMessages',
  'AttachFiles',
  'EmbedLinks',
  'Connect',
  'Speak',
];

const BOT_NAME = 'Crier';

export interface NewServer {
  readonly guild: Guild;
  readonly botRole: Role;
}

export interface StartingModel extends NewServer {
  readonly model: Model;
}

export function newUser(newId: () => string, username: string, bot = false): User {
  return { id: newId(), username, displayName: bot ? null : username.charAt(0).toUpperCase() + username.slice(1), bot };
}

export function newMember(clock: Clock, guildId: string, userId: string, roles: string[] = []): Member {
  return { userId, guildId, nick: null, roles, joinedAtMs: clock.now(), deaf: false, mute: false, timedOutUntilMs: 0 };
}

export function newChannel(newId: () => string, guild: Guild, name: string, kind: ChannelKind, userLimit = 0): Channel {
  const position = guild.channels.size;
  const channel: Channel = {
    id: newId(),
    guildId: guild.id,
    kind,
    name,
    position,
    userLimit,
    overwrites: [],
    lastMessageId: null,
  };
  guild.channels.set(channel.id, channel);
  return channel;
}

/** A token of the form that Discord's have: user id, time and secret, in base64. */
const newToken = (botId: string) =>
  [
    Buffer.from(botId).toString('base64url'),
    randomBytes(4).toString('base64url'),
    randomBytes(28).toString('base64url'),
  ].join('.');

/** The application with its bot, and one server. */
export function createStartingModel(clock: Clock, newId: () => string, applicationFlags: number): StartingModel {
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
    flags: applicationFlags,
  };
  const model: Model = {
    application,
    users: new Map([...people, bot].map((user) => [user.id, user])),
    guilds: new Map(),
    dms: new Map(),
    messages: new Map(),
    globalCommands: new Map(),
    guildCommands: new Map(),
    commandCreations: new Map(),
  };
  return { model, ...createServer(model, clock, newId, 'Playground') };
}

/** A server with its channels, everybody as member and the bot invited to it. */
export function createServer(model: Model, clock: Clock, newId: () => string, name: string): NewServer {
  const { botId, ownerId } = model.application;
  const guildId = newId();
  const everyone: Role = { id: guildId, name: '@everyone', permissions: permissionBits(EVERYONE), position: 0 };
  const botRole: Role = { id: newId(), name: BOT_NAME, permissions: permissionBits(BOT), position: 1, botId };
  const member = (userId: string) => newMember(clock, guildId, userId, userId === botId ? [botRole.id] : []);
  const guild: Guild = {
    id: guildId,
    name,
    ownerId,
    locale: 'en-US',
    available: true,
    roles: new Map([everyone, botRole].map((role) => [role.id, role])),
    channels: new Map(),
    members: new Map([...model.users.keys()].map((userId) => [userId, member(userId)])),
    voiceStates: new Map(),
  };
  addChannels(newId, guild, botId);
  model.guilds.set(guildId, guild);
  return { guild, botRole };
}

function addChannels(newId: () => string, guild: Guild, botId: string): void {
  const denyBot = (channel: Channel, permission: PermissionName) =>
    channel.overwrites.push({ id: botId, kind: 'member', allow: 0n, deny: permissionBits([permission]) });
  newChannel(newId, guild, 'general', 'text');
  newChannel(newId, guild, 'General', 'voice');
  newChannel(newId, guild, 'Lounge', 'voice');
  newChannel(newId, guild, 'Full', 'voice', 1);
  denyBot(newChannel(newId, guild, 'Locked', 'voice'), 'Connect');
  denyBot(newChannel(newId, guild, 'Quiet', 'voice'), 'Speak');
  newChannel(newId, guild, 'Stage', 'stage');
}
