import type { Hub } from '../../state/hub.ts';
import type { RegisteredCommand } from '../../state/model.ts';
import { botPayload, userPayload } from '../../state/payloads.ts';
import { apiError } from '../problems.ts';
import { type Call, ok, param, type Route, route } from '../router.ts';
import { type CommandDraft, readCommands } from '../rules/command-rules.ts';

export const applicationRoutes: readonly Route[] = [
  { ...route('GET', '/gateway', ({ hub }) => ok({ url: gatewayUrl(hub) })), open: true },
  route('GET', '/gateway/bot', ({ hub }) =>
    ok({
      url: gatewayUrl(hub),
      shards: hub.recommendedShards,
      session_start_limit: {
        total: hub.sessionStarts.total,
        remaining: hub.sessionStarts.remaining,
        reset_after: hub.sessionStarts.resetAfterMs,
        max_concurrency: hub.sessionStarts.maxConcurrency,
      },
    }),
  ),
  route('GET', '/applications/@me', ({ hub }) => ok(applicationPayload(hub))),
  route('GET', '/users/@me', ({ hub }) => ok(botPayload(hub.model))),
  route('GET', '/users/:userId', (call) => {
    const user = call.hub.model.users.get(param(call, 'userId'));
    if (!user) throw apiError('unknownUser');
    return ok(userPayload(user));
  }),
  ...commandRoutes('/applications/:applicationId/commands'),
  ...commandRoutes('/applications/:applicationId/guilds/:guildId/commands'),
];

const gatewayUrl = (hub: Hub) => hub.origin.replace('http:', 'ws:');

function applicationPayload(hub: Hub) {
  const { application, users, guilds } = hub.model;
  const owner = users.get(application.ownerId);
  return {
    id: application.id,
    name: application.name,
    icon: null,
    description: '',
    bot_public: true,
    bot_require_code_grant: false,
    verify_key: application.id.padEnd(64, '0'),
    team: null,
    flags: application.flags,
    flags_new: String(application.flags),
    type: null,
    interactions_endpoint_url: null,
    role_connections_verification_url: null,
    approximate_user_authorization_count: hub.model.userInstalls.size,
    explicit_content_filter: 0,
    eligible_oauth2_scopes: ['applications.commands', 'bot'],
    approximate_guild_count: guilds.size,
    redirect_uris: [],
    integration_types_config: { '0': {}, '1': {} },
    approximate_user_install_count: hub.model.userInstalls.size,
    bot: botPayload(hub.model),
    owner: owner && userPayload(owner),
  };
}

function ownCommands(call: Call): { guildId: string | undefined; commands: Map<string, RegisteredCommand> } {
  const { model } = call.hub;
  if (param(call, 'applicationId') !== model.application.id) throw apiError('notYourApplication');
  const guildId = call.params.guildId;
  if (guildId === undefined) return { guildId, commands: model.globalCommands };
  if (!model.guilds.get(guildId)?.members.has(model.application.botId)) throw apiError('missingAccess');
  const commands = model.guildCommands.get(guildId) ?? new Map<string, RegisteredCommand>();
  model.guildCommands.set(guildId, commands);
  return { guildId, commands };
}

/** Discord's daily limit of new commands, globally and in each server: application-commands#registering-a-command */
const CREATIONS = { limit: 200, perMs: 86_400_000 };

function countCreations(hub: Hub, guildId: string | undefined, created: number): void {
  const nowMs = hub.clock.now();
  const times = hub.model.commandCreations.get(guildId ?? '') ?? [];
  const recent = times.filter((atMs) => nowMs - atMs < CREATIONS.perMs);
  if (recent.length + created > CREATIONS.limit) throw apiError('tooManyCommandCreates');
  hub.model.commandCreations.set(guildId ?? '', [...recent, ...Array.from({ length: created }, () => nowMs)]);
}

const sameCommand = (commands: Map<string, RegisteredCommand>, draft: CommandDraft) =>
  [...commands.values()].find((command) => command.name === draft.name && command.type === draft.type);

function commandRoutes(base: string): Route[] {
  return [
    route('GET', base, (call) => {
      const localized = call.query.get('with_localizations') === 'true';
      return ok(
        [...ownCommands(call).commands.values()].map((command) =>
          localized ? command : withoutLocalizations(command),
        ),
      );
    }),
    route('PUT', base, (call) => {
      const { model, newId } = call.hub;
      const { guildId, commands } = ownCommands(call);
      const drafts = readCommands(call.body.json, guildId === undefined);
      countCreations(call.hub, guildId, drafts.filter((draft) => !sameCommand(commands, draft)).length);
      const kept = drafts.map((draft) => ({
        id: sameCommand(commands, draft)?.id ?? newId(),
        application_id: model.application.id,
        version: newId(),
        guild_id: guildId,
        ...draft.fields,
      })) as RegisteredCommand[];
      commands.clear();
      for (const command of kept) commands.set(command.id, command);
      return ok(kept);
    }),
  ];
}

/** Discord lists commands without their translations unless a request has the parameter `with_localizations`. */
function withoutLocalizations(command: RegisteredCommand) {
  const { name_localizations: _names, description_localizations: _descriptions, ...rest } = command;
  return rest;
}
