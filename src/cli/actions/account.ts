import {
  changeConfigFile,
  layerIn,
  readConfigFile,
  resolveSettings,
  type SettingsFlags,
  setInText,
  shownPath,
} from '../config/config-file.ts';
import { asked, type ConnectionFlags, loadSettings, requireKey } from '../config/session.ts';
import { printTable } from '../terminal/table.ts';
import { counted, json, note, number, plain, print, warn } from '../terminal/terminal.ts';

export async function key(flags: SettingsFlags): Promise<void> {
  const settings = await loadSettings(flags);
  process.stdout.write(requireKey(settings));
}

export async function logout(flags: SettingsFlags): Promise<void> {
  const { config, path } = await readConfigFile();
  const { env } = resolveSettings(flags, process.env, config);
  const saved = layerIn(config, env)?.api_key;
  const where = env === undefined ? '' : ` of the environment "${env}"`;
  if (saved === undefined) note(`There is no saved key${where}: nothing to remove.`);
  else {
    await changeConfigFile(({ text }) => setInText(text, { env, key: 'api_key' }, undefined));
    note(
      `The key${where} was removed from ${shownPath(path)}. The service still accepts it until it is revoked in the dashboard.`,
    );
  }
  if (process.env.VOICE_API_KEY && flags.env === undefined) warn('VOICE_API_KEY is set and still used.');
}

export function showCredits(flags: ConnectionFlags & { json: boolean }): Promise<void> {
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

export function models(flags: ConnectionFlags & { json: boolean }): Promise<void> {
  return asked(flags, async (client, signal) => {
    const { models: all } = await client.models({ signal });
    if (flags.json) return print(json(all, 2));
    printTable(all, [
      { heading: 'MODEL', cell: (model) => model.id },
      { heading: 'NAME', cell: (model) => model.name ?? '' },
      { heading: 'FORMATS', cell: (model) => (model.supported_formats ?? []).join(',') },
      {
        heading: 'CHARACTERS',
        cell: (model) => (model.max_input_length === undefined ? '' : number(model.max_input_length)),
        place: 'right',
      },
    ]);
  });
}

export function openapi(flags: ConnectionFlags): Promise<void> {
  return asked(flags, async (client, signal) => print(json(await client.openapi({ signal }), 2)));
}
