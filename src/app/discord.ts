import { isFree } from '../config/config.ts';
import { createDiscordClient } from '../discord/client/client.ts';
import { connectionProblem, connectionState, createSessionStarts } from '../discord/client/login.ts';
import { createModerationLog } from '../discord/moderation/moderation-log.ts';
import type { Startup } from './startup.ts';
import type { StorageStage } from './storage.ts';

export type DiscordStage = ReturnType<typeof openDiscord>;

/** The connection to Discord, not yet logged in. */
export function openDiscord(
  { config, log, closeLater, metrics, readiness }: Startup,
  { settings, ownership: { owns, identifyTurns } }: StorageStage,
) {
  const { shards } = config;
  const starts = createSessionStarts({ turns: identifyTurns, log });
  const { client, attempts, isRefused } = createDiscordClient(config.discord, {
    shards,
    mayAct: () => owns(),
    buildThrottler: starts.buildThrottler,
  });
  closeLater('the connection to Discord', () => client.destroy());
  readiness.check('discord', () => connectionProblem(client));
  metrics.watch({ discord: () => connectionState(client) });
  const moderation = createModerationLog({ client, rules: settings, localVoice: isFree(config.speech), log });
  closeLater('the moderation log', moderation.close);
  return { client, attempts, moderation, isWaiting: () => isRefused() || starts.isWaiting() };
}
