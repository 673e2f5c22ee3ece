import { expect, it } from 'vitest';
import { acceptAfterCooldown } from '../../../src/commands/say/accepted.ts';
import { createTextCooldown } from '../../../src/services/servers/cooldowns.ts';
import { DEFAULT_RULES } from '../../../src/services/servers/server-rules.ts';
import { servicesOf } from '../services.ts';

it('counts a person’s texts in each of the bot’s servers, and everywhere else together', () => {
  const textCooldown = createTextCooldown(() => 0);
  const asks = (guildId: string | null, isBotThere: boolean) => {
    const interaction = { guildId, user: { id: '1' }, inCachedGuild: () => isBotThere };
    return () =>
      acceptAfterCooldown(
        { interaction: interaction as never, services: servicesOf({ cooldown: textCooldown }) },
        DEFAULT_RULES,
        () => 1,
      );
  };
  const tooMany = expect.objectContaining({ text: expect.objectContaining({ key: 'refused.too-many-texts' }) });
  for (const guildId of [null, '11', '12', '13', '14']) asks(guildId, false)();
  for (const guildId of [null, '15']) expect(asks(guildId, false)).toThrow(tooMany);
  for (let texts = 0; texts < 5; texts += 1) asks('21', true)();
  expect(asks('21', true)).toThrow(tooMany);
  expect(asks('22', true)).not.toThrow();
});
