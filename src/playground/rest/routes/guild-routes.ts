import { leaveGuild, publishMember } from '../../state/guilds.ts';
import { applicationFlags } from '../../state/intents.ts';
import type { Guild, Member } from '../../state/model.ts';
import {
  channelPayload,
  guildPayload,
  memberPayload,
  rolePayload,
  voiceStatePayload,
} from '../../state/payloads/entities.ts';
import { channelPermissions, guildPermissions } from '../../state/permissions.ts';
import { changeVoiceState, disconnectMember, isVoice, moveMember } from '../../state/voice-states.ts';
import { apiError } from '../errors.ts';
import { type Call, NO_CONTENT, ok, param, type RestResponse, type Route, route } from '../router.ts';
import { createProblems, fieldsOf } from '../rules/body-problems.ts';
import { guildOf, needs, outranks } from './access.ts';

/** https://discord.com/developers/docs/resources/guild and …/resources/voice */
export const guildRoutes: readonly Route[] = [
  route('GET', '/guilds/:guildId', (call) => ok(guildWithCounts(call))),
  route('GET', '/guilds/:guildId/channels', (call) =>
    ok(
      [...guildOf(call).guild.channels.values()]
        .filter((channel) => channel.kind !== 'thread')
        .map((channel) => channelPayload(call.hub.model, channel)),
    ),
  ),
  route('GET', '/guilds/:guildId/roles', (call) => ok([...guildOf(call).guild.roles.values()].map(rolePayload))),
  route('GET', '/guilds/:guildId/roles/:roleId', (call) => {
    const role = guildOf(call).guild.roles.get(param(call, 'roleId'));
    if (!role) throw apiError('unknownRole');
    return ok(rolePayload(role));
  }),
  route('GET', '/guilds/:guildId/members', listMembers),
  route('GET', '/guilds/:guildId/members/search', searchMembers),
  route('GET', '/guilds/:guildId/members/:userId', (call) => ok(memberPayload(call.hub.model, memberOf(call).member))),
  route('PATCH', '/guilds/:guildId/members/@me', changeOwnMember),
  route('PATCH', '/guilds/:guildId/members/:userId', changeMember),
  route('GET', '/guilds/:guildId/voice-states/:userId', (call) =>
    ok(voiceStatePayload(call.hub.model, voiceStateOf(call).state)),
  ),
  route('PATCH', '/guilds/:guildId/voice-states/:userId', modifyVoiceState),
  route('GET', '/voice/regions', () =>
    ok([{ id: 'rotterdam', name: 'Rotterdam', optimal: true, deprecated: false, custom: false }]),
  ),
  route('GET', '/users/@me/guilds', ({ hub }) =>
    ok(
      [...hub.model.guilds.values()].flatMap((guild) => {
        const bot = guild.members.get(hub.model.application.botId);
        if (!bot) return [];
        const permissions = guildPermissions(guild, bot).toString();
        return [{ id: guild.id, name: guild.name, icon: null, banner: null, owner: false, permissions, features: [] }];
      }),
    ),
  ),
  route('DELETE', '/users/@me/guilds/:guildId', (call) => {
    leaveGuild(call.hub, guildOf(call).guild);
    return NO_CONTENT;
  }),
];

function guildWithCounts(call: Call) {
  const { guild } = guildOf(call);
  const counts = { approximate_member_count: guild.members.size, approximate_presence_count: guild.members.size };
  return { ...guildPayload(guild), ...(call.query.get('with_counts') === 'true' ? counts : {}) };
}

function memberOf(call: Call): { guild: Guild; bot: Member; member: Member } {
  const { guild, bot } = guildOf(call);
  const id = param(call, 'userId');
  const member = guild.members.get(id === '@me' ? bot.userId : id);
  if (!member) throw apiError(call.hub.model.users.has(id) ? 'unknownMember' : 'unknownUser');
  return { guild, bot, member };
}

function listMembers(call: Call): RestResponse {
  const { guild } = guildOf(call);
  // GuildMembers is a privileged intent, for this list too: resources/guild#list-guild-members
  const switchedOn = applicationFlags(['GuildMembers']);
  if (!(call.hub.model.application.flags & switchedOn)) throw apiError('missingAccess');
  const limit = Number(call.query.get('limit') ?? 1);
  const after = BigInt(call.query.get('after') ?? '0');
  const found = [...guild.members.values()].filter((member) => BigInt(member.userId) > after).slice(0, limit);
  return ok(found.map((member) => memberPayload(call.hub.model, member)));
}

function searchMembers(call: Call): RestResponse {
  const { guild } = guildOf(call);
  const problems = createProblems();
  const given = { query: call.query.get('query'), limit: Number(call.query.get('limit') ?? 1) };
  const fields = fieldsOf(problems, given, []);
  const query = (fields.text('query', { max: 100, required: true }) ?? '').toLowerCase();
  const limit = fields.integer('limit', { min: 1, max: 1_000 }) ?? 1;
  problems.throwIfAny();
  const found = [...guild.members.values()].filter((member) => {
    const user = call.hub.model.users.get(member.userId);
    return [user?.username, user?.displayName, member.nick].some((name) => name?.toLowerCase().startsWith(query));
  });
  return ok(found.slice(0, limit).map((member) => memberPayload(call.hub.model, member)));
}

function changeOwnMember(call: Call): RestResponse {
  const { guild, bot } = guildOf(call);
  const problems = createProblems();
  const fields = fieldsOf(problems, call.body.json, []);
  if ('nick' in fields.json) {
    needs(guildPermissions(guild, bot), 'ChangeNickname');
    const nick = fields.text('nick', { max: 32 });
    problems.throwIfAny();
    bot.nick = nick || null;
    publishMember(call.hub, bot);
  }
  return ok(memberPayload(call.hub.model, bot));
}

/** https://discord.com/developers/docs/resources/guild#modify-guild-member */
function changeMember(call: Call): RestResponse {
  const { guild, bot, member } = memberOf(call);
  const { hub } = call;
  const problems = createProblems();
  const fields = fieldsOf(problems, call.body.json, []);
  const { json } = fields;
  const bits = guildPermissions(guild, bot);
  const nick = fields.text('nick', { max: 32 });
  const mute = fields.flag('mute');
  const deaf = fields.flag('deaf');
  problems.throwIfAny();
  if ('nick' in json) {
    needs(bits, 'ManageNicknames');
    if (!outranks(guild, bot, member)) throw apiError('missingPermissions');
    member.nick = nick || null;
  }
  const voiceState = guild.voiceStates.get(member.userId);
  if (mute !== undefined || deaf !== undefined || 'channel_id' in json) {
    if (mute !== undefined) needs(bits, 'MuteMembers');
    if (deaf !== undefined) needs(bits, 'DeafenMembers');
    if ('channel_id' in json) needs(bits, 'MoveMembers');
    if (!voiceState) throw apiError('notInVoice');
    member.mute = mute ?? member.mute;
    member.deaf = deaf ?? member.deaf;
  }
  if ('channel_id' in json) move(call, guild, member, json.channel_id);
  publishMember(hub, member);
  if (voiceState && (mute !== undefined || deaf !== undefined)) changeVoiceState(hub, voiceState, {});
  return ok(memberPayload(hub.model, member));
}

/** The bot too must be able to connect to where it moves others. */
function move({ hub }: Call, guild: Guild, member: Member, channelId: unknown) {
  if (channelId === null) return disconnectMember(hub, guild, member.userId);
  const channel = guild.channels.get(String(channelId));
  if (!channel) throw apiError('unknownChannel');
  if (!isVoice(channel)) throw apiError('wrongChannelType');
  const bot = guild.members.get(hub.model.application.botId);
  needs(bot ? channelPermissions(guild, bot, channel, hub.clock.now()) : 0n, 'MoveMembers', 'Connect');
  moveMember(hub, guild, channel, member.userId);
}

function voiceStateOf(call: Call) {
  const found = memberOf(call);
  const state = found.guild.voiceStates.get(found.member.userId);
  if (!state) throw apiError('unknownVoiceState');
  return { ...found, state };
}

/** Stage speakers: https://discord.com/developers/docs/resources/voice#modify-current-user-voice-state */
function modifyVoiceState(call: Call): RestResponse {
  const { guild, bot, member, state } = voiceStateOf(call);
  const problems = createProblems();
  const fields = fieldsOf(problems, call.body.json, []);
  const { json } = fields;
  const suppress = fields.flag('suppress');
  const request = json.request_to_speak_timestamp;
  if (typeof request === 'string' && !Number.isFinite(Date.parse(request))) {
    fields.fail('request_to_speak_timestamp', 'DATE_TIME_TYPE_PARSE', `Could not parse ${request}. Should be ISO8601.`);
  }
  problems.throwIfAny();
  const channelId = json.channel_id ?? state.channelId;
  const channel = guild.channels.get(String(channelId));
  if (!channel) throw apiError('unknownChannel');
  if (channel.kind !== 'stage') throw apiError('wrongChannelType');
  if (state.channelId !== channel.id) throw apiError('unknownVoiceState');
  const bits = channelPermissions(guild, bot, channel, call.hub.clock.now());
  const isSelf = member.userId === bot.userId;
  if (suppress === false || (suppress === true && !isSelf)) needs(bits, 'MuteMembers');
  if (typeof request === 'string') needs(bits, 'RequestToSpeak');
  changeVoiceState(call.hub, state, {
    ...(suppress === undefined ? {} : { suppress }),
    ...(request === undefined ? {} : { requestToSpeakAt: request === null ? null : String(request) }),
  });
  return NO_CONTENT;
}
