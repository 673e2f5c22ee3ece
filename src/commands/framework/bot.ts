import type { TopUp } from '../../errors/explain.ts';
import type { BotStatus } from '../../services/monitoring/readiness.ts';
import type { Owners } from '../../services/spending/owners.ts';
import type { SpeechClient } from '../../speech/client/client.ts';
import type { CommandIds } from '../../texts/catalog.ts';

/** The bot as commands see it: its owners, its state, and what its configuration allows. */
export interface Bot {
  readonly owners: Owners;
  readonly status: () => Promise<BotStatus>;
  readonly billing: SpeechClient['billing'];
  /**
   * True if speech costs nothing: the built-in speech service speaks, and the owner has set no prices for its speech
   * engines.
   */
  readonly localVoice: boolean;
  /** True if the bot sends no text to an external speech service. */
  readonly isSpeechMadeHere: boolean;
  readonly topUp: TopUp;
  /** True if all members see the balance of the account at the speech service, not only the bot's owners. */
  readonly showsBalance: boolean;
  /** The ids of the registered commands. With an id, a reply can mention the command so that members can click it. */
  readonly commandIds: CommandIds;
  /** True if the owner has enabled use in direct messages and in servers without the bot. */
  readonly directUse: boolean;
}
