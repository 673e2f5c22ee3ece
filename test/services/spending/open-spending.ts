import type { OwnerLimits, ServerLimits } from '../../../src/services/spending/limits.ts';
import { openSpending, type Spending, type SpendingOptions } from '../../../src/services/spending/spending.ts';
import type { Sql } from '../../../src/services/storage/sql.ts';
import { silentLog } from '../../silent-log.ts';

interface Circumstances extends Partial<Omit<SpendingOptions, 'limits' | 'limitsFor'>> {
  readonly limits?: Partial<OwnerLimits>;
  readonly limitsFor?: (guildId: string) => Promise<Partial<ServerLimits>>;
}

/** What is spent of the limits given, in servers whose admins lower none. */
export function spendingOver(sql: Sql, { limits, limitsFor, ...others }: Circumstances = {}): Promise<Spending> {
  return openSpending({
    sql,
    limits: { total: 1_000, perServer: 1_000, perMember: 1_000, ...limits },
    limitsFor: async (guildId) => ({ perServer: undefined, perMember: undefined, ...(await limitsFor?.(guildId)) }),
    isIn: () => true,
    prices: new Map(),
    onBilled: () => undefined,
    onLost: () => undefined,
    notify: async () => undefined,
    log: silentLog,
    ...others,
  });
}
