import type { TopUp } from '../../errors/explain.ts';
import type { BotStatus } from '../../services/monitoring/readiness.ts';
import type { Owners } from '../../services/spending/owners.ts';
import type { SpeechClient } from '../../speech/client/client.ts';
import type { CommandIds } from '../../texts/catalog.ts';

export interface Bot {
  readonly owners: Owners;
  readonly status: () => Promise<BotStatus>;
  readonly billing: SpeechClient['billing'];
  /**
   * True if speech costs nothing: the built-in speech service speaks, and the owner has set no prices for its engines.
   */
  readonly localVoice: boolean;
  /** True if the bot sends no text to an external speech service. */
  readonly isSpeechMadeHere: boolean;
  readonly topUp: TopUp;
  /** True if all members see the account's balance, not only the bot's owners. */
  readonly showsBalance: boolean;
  /** The ids of the registered commands, with which a reply can mention a command. */
  readonly commandIds: CommandIds;
  /** True if the owner has enabled use in direct messages and in servers without the bot. */
  readonly directUse: boolean;
}
