import type { Client } from 'discord.js';
import { isFree, pricesOf, topUpOf } from '../config/config.ts';
import { fetchApplicationOwners, writeToOwners } from '../discord/channels/post.ts';
import type { Settings } from '../services/servers/server-settings.ts';
import { createAccountWatch } from '../services/spending/balance-watch.ts';
import { isUnlimited } from '../services/spending/limits.ts';
import { createLostAudioWatch, type PaidAudio } from '../services/spending/lost-audio-watch.ts';
import { createOwners, type Owners } from '../services/spending/owners.ts';
import { openSpending, type Spending } from '../services/spending/spending.ts';
import type { Store } from '../services/storage/store.ts';
import type { SpeechClient } from '../speech/client/client.ts';
import type { Text } from '../texts/catalog.ts';
import type { MonitoringStage } from './monitoring.ts';
import type { Startup } from './startup.ts';
import type { StorageStage } from './storage.ts';

/** All parts that concern the owner's credits. */
export interface Credits {
  /** The speech client given, whose answers are watched for the balance. */
  readonly speech: SpeechClient;
  readonly spending: Spending;
  readonly owners: Owners;
  readonly paidAudio: PaidAudio;
  /** Asks for the balance once, so that an account that ran low meanwhile is noticed. Rejects with a SpeechError. */
  checkAccount(): Promise<void>;
}

interface CreditsNeeds {
  readonly sql: StorageStage['sql'];
  readonly store: Store;
  readonly settings: Settings;
  readonly speech: SpeechClient;
  readonly client: Client;
  readonly monitoring: MonitoringStage;
}

/** The stage that counts, limits and watches credits. */
export async function openCredits({ config, log, closeLater }: Startup, needs: CreditsNeeds): Promise<Credits> {
  const { sql, store, settings, speech, client, monitoring } = needs;
  const owners = createOwners({
    configured: config.access.ownerIds,
    fetchOwners: () => fetchApplicationOwners(client),
    log,
  });
  const notify = (message: Text) => writeToOwners(client, owners, message);
  const watch = createAccountWatch({
    warnBelow: config.credits.warnBelow,
    topUp: topUpOf(config),
    store,
    notify,
    log,
    speech,
  });
  closeLater('the balance watch', watch.close, { keepsData: true });
  const { allowedServers } = config.access;
  const limitsFor = async (guildId: string) => {
    // Should such a server be on its way out, or not let the bot go: nothing is spent there in any case.
    if (allowedServers?.includes(guildId) === false) return { perServer: 0, perMember: undefined };
    if (isUnlimited(config.limits)) return { perServer: undefined, perMember: undefined };
    const { creditsPerServer, creditsPerMember } = await settings.get(guildId);
    return { perServer: creditsPerServer, perMember: creditsPerMember };
  };
  const isIn = (guildId: string) => client.guilds.cache.has(guildId);
  const prices = pricesOf(config.speech);
  const spending = await openSpending({
    sql,
    prices,
    limitsFor,
    isIn,
    notify,
    log,
    limits: config.limits,
    onBilled: monitoring.metrics.creditsUsed,
    onLost: monitoring.metrics.creditsLost,
  });
  closeLater('what was spent', spending.close, { keepsData: true });
  return {
    speech: watch.speech,
    spending,
    owners,
    paidAudio: createLostAudioWatch({ notify, log, isFree: isFree(config.speech) }),
    checkAccount: watch.check,
  };
}
