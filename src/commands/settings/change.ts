import type { ServerSettings, SettingName } from '../../services/servers/server-settings.ts';
import type { OwnerLimits } from '../../services/spending/spending-types.ts';
import { type Text, text } from '../../texts/catalogue.ts';
import type { Services } from '../framework/command.ts';
import { describeHolding, settingLabel } from './describe.ts';

/** What an edit made different, a line for each setting with before and after. */
export async function changeSettings(
  { settings, spending }: Pick<Services, 'settings' | 'spending'>,
  guildId: string,
  edit: (before: ServerSettings) => ServerSettings,
): Promise<{ readonly after: ServerSettings; readonly lines: readonly Text[] }> {
  const { before, after } = await settings.change(guildId, (present) => compact(edit(present)));
  return { after, lines: changeLines(before, after, spending.ownerLimits) };
}

function changeLines(before: ServerSettings, after: ServerSettings, limits: OwnerLimits): Text[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])] as SettingName[];
  const changed = names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  if (changed.length === 0) return [text('settings.unchanged')];
  return changed.map((name) =>
    text('settings.changed', {
      setting: settingLabel(name),
      after: describeHolding(name, after[name], limits),
      before: describeHolding(name, before[name], limits),
    }),
  );
}

/** Without what is not set: a record that is as the bot has it is kept as nothing. */
export function compact(settings: ServerSettings): ServerSettings {
  const chosen = Object.entries(settings).filter(
    ([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0),
  );
  return Object.fromEntries(chosen);
}
