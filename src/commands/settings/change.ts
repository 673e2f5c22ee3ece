import { isDeepStrictEqual } from 'node:util';
import { UserError } from '../../errors/user-errors.ts';
import {
  SERVER_SETTINGS,
  SETTING_NAMES,
  type ServerSettings,
  type SettingName,
  serverSettingsSchema,
} from '../../services/servers/server-settings.ts';
import type { OwnerLimits } from '../../services/spending/limits.ts';
import type { Change } from '../../services/storage/editable-records.ts';
import { isLanguage, type Text, text } from '../../texts/catalogue.ts';
import type { Services } from '../framework/command.ts';
import { describeBefore, describeHolding, settingLabel } from './describe.ts';

/** To be shown: while the store does not answer, as they were last seen. Rejects with a StoreError where none were. */
export async function shownSettings(
  { settings, log }: Services,
  guildId: string,
): Promise<{ readonly settings: ServerSettings; readonly warning: readonly Text[] }> {
  try {
    return { settings: await settings.get(guildId), warning: [] };
  } catch (error) {
    const lastSeen = settings.lastSeen(guildId);
    if (!lastSeen) throw error;
    log.warn({ err: error, guildId }, 'The settings are shown as they were last seen');
    return { settings: lastSeen, warning: [text('store.last-seen')] };
  }
}

/** Makes an edit; the lines name each changed setting with its value before and after. */
export async function changeSettings(
  { settings, spending }: Services,
  guildId: string,
  edit: (before: ServerSettings) => ServerSettings,
): Promise<Change<ServerSettings> & { readonly lines: readonly Text[] }> {
  const { before, after } = await settings.change(guildId, (present) => compact(edit(present)));
  return { before, after, lines: changeLines(before, after, spending.ownerLimits) };
}

export function changeLines(before: ServerSettings, after: ServerSettings, limits: OwnerLimits): Text[] {
  const changed = SETTING_NAMES.filter((name) => comparable(before[name]) !== comparable(after[name]));
  if (changed.length === 0) return [text('settings.unchanged')];
  return changed.map((name) => {
    const described = {
      setting: settingLabel(name),
      after: describeHolding(name, after[name], limits),
      before: describeBefore(name, before[name], limits),
    };
    // Of a list, only its first ones are named; of two voices, the same name may be that of each.
    const isNamed = !isDeepStrictEqual(described.before, described.after);
    return text(isNamed ? 'settings.changed' : 'settings.changed-unnamed', described);
  });
}

/** Nothing depends on the order of a list. */
const comparable = (value: unknown): string =>
  [value ?? []]
    .flat()
    .map((one) => JSON.stringify(one))
    .sort()
    .join();

/** Without absent and empty values: a record without any choice is kept as nothing. */
function compact(settings: ServerSettings): ServerSettings {
  const chosen = Object.entries(settings).filter(
    ([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0),
  );
  return Object.fromEntries(chosen);
}

/** The value, checked for a setting; throws a UserError for one that no control of the bot offers. */
export function validSetting<Name extends SettingName>(name: Name, value: unknown): ServerSettings[Name] {
  const parsed = serverSettingsSchema.shape[name].safeParse(value);
  const isOffered = SERVER_SETTINGS[name].kind !== 'language' || value === undefined || isLanguage(String(value));
  if (!parsed.success || !isOffered) throw new UserError(text('refused.over'));
  return parsed.data as ServerSettings[Name];
}
