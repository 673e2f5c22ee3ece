import { GatewayCloseCodes } from 'discord.js';
import { OperatorError } from '../../../errors/operator-error.ts';

/** Another start would be refused in the same way. */
const FOR_OPERATORS: ReadonlySet<number> = new Set([
  GatewayCloseCodes.AuthenticationFailed,
  GatewayCloseCodes.InvalidIntents,
  GatewayCloseCodes.DisallowedIntents,
]);

/** Whether an operator has to act before another start can succeed. */
export const isForOperators = (code: number): boolean => FOR_OPERATORS.has(code);

/** Why Discord has ended the gateway session for good, with what an operator can do. */
export function endOfSession(code: number, shardId: number): Error {
  if (code === GatewayCloseCodes.AuthenticationFailed) {
    return new OperatorError('Discord does not accept DISCORD_TOKEN any more', {
      remedy: 'copy it again from https://discord.com/developers/applications → your application → Bot → Reset Token',
      isWrongSetting: true,
    });
  }
  if (code !== GatewayCloseCodes.DisallowedIntents) {
    return new Error(`Discord ended the session of shard ${shardId} for good (close code ${code})`);
  }
  return new OperatorError('Discord does not let the bot read messages, which READ_MESSAGES=on asks for', {
    remedy:
      'switch on https://discord.com/developers/applications → your application → Bot → Privileged Gateway Intents → Message Content Intent, or set READ_MESSAGES=off',
    isWrongSetting: true,
  });
}
