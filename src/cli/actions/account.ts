import { type CliSession, type ConnectionFlags, withSession } from '../config/session.ts';
import { interruptible } from '../terminal/interrupt.ts';
import { printTable } from '../terminal/table.ts';
import { counted, json, note, number, plain, print } from '../terminal/terminal.ts';

interface JsonFlags extends ConnectionFlags {
  readonly json?: boolean;
}

function asked(flags: ConnectionFlags, work: (client: CliSession['client'], signal: AbortSignal) => Promise<void>) {
  return interruptible(({ signal }) => withSession(flags, ({ client }) => work(client, signal)));
}

/** The balance. */
export function showCredits(flags: JsonFlags): Promise<void> {
  return asked(flags, async (client, signal) => {
    const billing = await client.billing({ signal });
    if (flags.json) {
      const line = {
        credits_left: billing.creditsLeft,
        last_updated: billing.lastUpdated,
        user_id: billing.userId,
        last_billing_transaction: billing.lastBillingTransaction,
        request_id: billing.requestId ?? null,
      };
      return print(json(line));
    }
    print(`${counted(billing.creditsLeft, 'credit')} left`);
    const last = billing.lastBillingTransaction;
    if (last && process.stdout.isTTY) {
      const when = last.created_at === undefined ? '' : ` on ${last.created_at.slice(0, 10)}`;
      const amount = last.amount === undefined ? '' : `: ${number(last.amount)}`;
      note(
        plain(`Last ${last.type ?? 'transaction'}${when}${amount}${last.description ? ` (${last.description})` : ''}`),
      );
    }
  });
}

/** The models and how much text each takes. */
export function models(flags: JsonFlags): Promise<void> {
  return asked(flags, async (client, signal) => {
    const { models: all } = await client.models({ signal });
    if (flags.json) return print(json(all, 2));
    printTable(all, [
      { heading: 'MODEL', cell: (model) => model.id, narrow: 6 },
      { heading: 'NAME', cell: (model) => model.name ?? '', narrow: 8 },
      { heading: 'FORMATS', cell: (model) => (model.supported_formats ?? []).join(','), narrow: 7 },
      {
        heading: 'CHARACTERS',
        cell: (model) => (model.max_input_length === undefined ? '' : number(model.max_input_length)),
        align: 'right',
      },
    ]);
  });
}

/** The machine-readable description of the interface, as the service gives it. */
export function openapi(flags: ConnectionFlags): Promise<void> {
  return asked(flags, async (client, signal) => print(json(await client.openapi({ signal }), 2)));
}
