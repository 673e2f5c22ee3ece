import { PermissionFlagsBits, PermissionsBitField } from 'discord.js';
import { describe, expect, it } from 'vitest';
import type { Reply } from '../../../src/commands/framework/command.ts';
import { forget } from '../../../src/commands/privacy/privacy.ts';
import { UserError } from '../../../src/errors/user-errors.ts';
import { listKeptData } from '../../../src/services/privacy/stored-data.ts';
import type { KeptUsage } from '../../../src/services/spending/spending.ts';
import { render, text } from '../../../src/texts/catalog.ts';
import { callOf, controlOf, replyOf } from '../scene.ts';

const NONE = { credits: 0, cached: 0 };
const TODAY = { credits: 264, cached: 0 };
const BEFORE = { credits: 20, cached: 0 };

/** Somebody who manages a server; of both of them nothing but their use is kept. */
function userOf(counted: KeptUsage, { isFree = false, what = 'me' } = {}) {
  let kept = counted;
  const spending = {
    kept: async () => kept,
    keptServers: async () => [],
    async forget() {
      kept = { before: NONE, today: kept.today, staysLonger: false };
    },
  };
  const all = listKeptData({ spending, dictionaries: {}, isFree } as unknown as Parameters<typeof listKeptData>[0]);
  const services = { kept: all.filter(({ holds }) => holds.key === 'kept.use'), eraseDeleted: () => undefined };
  const interaction = {
    memberPermissions: new PermissionsBitField(PermissionFlagsBits.ManageGuild),
    options: { getBoolean: () => what === 'server' },
  };
  return {
    asks: () => replyOf(forget, callOf(interaction, services)),
    presses: () => replyOf(controlOf(forget, 'forget'), callOf(interaction, services, { argument: what })),
  };
}

const linesOf = ({ lines }: Reply) => lines.map((line) => render(line));
const controlsOf = ({ rows = [] }: Reply) => rows.flat().map((item) => 'control' in item && item.control);
const OF_TODAY = 'the end of the day, at 00:00 UTC, since today’s limits are based on it: 264 credits used today';
const STAYS = `Deleted at ${OF_TODAY}.`;
const REPLIES = 'The bot’s replies stay in Discord, with the texts they quote, until someone deletes them there.';
const WOULD_STAY = `If you press Delete, this is kept only until ${OF_TODAY}.`;

describe('/forget', () => {
  it('lists as deleted what goes at once, and says apart what of today’s use stays for the limits', async () => {
    const user = userOf({ before: BEFORE, today: TODAY, staysLonger: true });
    const asked = await user.asks();
    expect(linesOf(asked).slice(1)).toEqual(['- 20 credits used before today', WOULD_STAY, REPLIES]);
    expect(controlsOf(asked)).toEqual(['forget', 'forget-cancel']);
    expect(linesOf(await user.presses())).toEqual(['Deleted:', '- 20 credits used before today', STAYS, REPLIES]);
  });

  it('says of today’s use alone that it goes tonight, and offers nothing once that is settled', async () => {
    const user = userOf({ before: NONE, today: TODAY, staysLonger: true });
    const asked = await user.asks();
    expect(linesOf(asked)).toEqual(['There is nothing to delete right away.', WOULD_STAY, REPLIES]);
    // Without it, today's use would stay to the end of the next month.
    expect(controlsOf(asked)).toEqual(['forget', 'forget-cancel']);
    expect(linesOf(await user.presses())).toEqual([STAYS, REPLIES]);
    const again = await user.asks();
    expect(linesOf(again)).toEqual([STAYS, REPLIES]);
    expect(again.rows).toEqual([]);
  });

  it('says apart from what was deleted that a second press found nothing', async () => {
    for (const today of [NONE, TODAY]) {
      const user = userOf({ before: BEFORE, today, staysLonger: true });
      expect(linesOf(await user.presses())[0]).toBe('Deleted:');
      // A refusal is seen by its member alone, and leaves the message as it is.
      await expect(user.presses()).rejects.toThrow(new UserError(text('forget.nothing-left')));
    }
  });

  it.each([
    [false, 'since today’s limits are based on it: 264 credits used today in this server.'],
    [true, 'at 00:00 UTC: what was counted today in this server.'],
  ])('says of a server’s use today what the button does, then when it goes; free: %s', async (isFree, what) => {
    const manager = userOf({ before: NONE, today: TODAY, staysLonger: true }, { isFree, what: 'server' });
    const question = await manager.asks();
    expect(linesOf(question)[1]).toMatch(/^If you press Delete/);
    expect(linesOf(question)[1]).toContain(what);
    expect(linesOf(await manager.presses())[0]).toContain(what);
  });
});
