import { leaveGuild } from '../../state/guilds.ts';
import type { Guild, Member } from '../../state/model.ts';
import { guildPayload, memberPayload, voiceStatePayload } from '../../state/payloads/entities.ts';
import { channelPermissions, guildPermissions } from '../../state/permissions.ts';
import { changeVoiceState } from '../../state/voice-states.ts';
import { apiError } from '../errors.ts';
import { type Call, NO_CONTENT, ok, param, type RestResponse, type Route, route } from '../router.ts';
import { createProblems, fieldsOf } from '../rules/body-problems.ts';
import { guildOf, needs } from './access.ts';

/** https://discord.com/developers/docs/resources/guild and …/resources/voice */
export const guildRoutes: readonly Route[] = [
  route('GET', '/guilds/:guildId', (call) => ok(guildWithCounts(call))),
  route('GET', '/guilds/:guildId/members/search', searchMembers),
  route('GET', '/guilds/:guildId/members/:userId', (call) => ok(memberPayload(call.hub.model, memberOf(call).member))),
  route('GET', '/guilds/:guildId/voice-states/:userId', (call) =>
    ok(voiceStatePayload(call.hub.model, voiceStateOf(call).state)),
  ),
  route('PATCH', '/guilds/:guildId/voice-states/:userId', modifyVoiceState),
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
