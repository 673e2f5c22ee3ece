import { isDeepStrictEqual } from 'node:util';
import { UserError } from '../../errors/user-errors.ts';
import {
  SERVER_SETTINGS,
  SETTING_NAMES,
  type ServerSettings,
  type SettingName,
  serverSettingsSchema,
} from '../../services/servers/server-settings.ts';
import { isUnlimited } from '../../services/spending/spending-types.ts';
import type { Change } from '../../services/storage/editable-records.ts';
import { styleCharacters } from '../../speech/interface/models.ts';
import { isLanguage, type Text, text } from '../../texts/catalogue.ts';
import type { Services } from '../framework/command.ts';
import { type Circumstances, describeBefore, describeHolding, NAMED, settingLabel } from './describe.ts';

/** To be shown: while the store does not answer, as they were last seen. Rejects with a StoreError where none were. */
export async function shownSettings(
  { settings, rules, log }: Services,
  guildId: string,
): Promise<{ readonly settings: ServerSettings; readonly warning: readonly Text[] }> {
  try {
    return { settings: await settings.get(guildId), warning: [] };
  } catch (error) {
    const lastSeen = rules.lastSeen(guildId);
    if (!lastSeen) throw error;
    log.warn({ err: error, guildId }, 'The settings are shown as they were last seen');
    return { settings: lastSeen, warning: [text('store.last-seen')] };
  }
}

/** Makes an edit; the lines name each changed setting with its value before and after. */
export async function changeSettings(
  { settings, spending, localVoice }: Services,
  guildId: string,
  edit: (before: ServerSettings) => ServerSettings,
  mustBeRight?: (change: Change<ServerSettings>) => void,
): Promise<Change<ServerSettings> & { readonly lines: readonly Text[] }> {
  const { before, after } = await settings.change(guildId, (present) => {
    const edited = compact(edit(present));
    mustBeRight?.({ before: present, after: edited });
    return edited;
  });
  return { before, after, lines: changeLines(before, after, { limits: spending.ownerLimits, localVoice }) };
}

export function changeLines(before: ServerSettings, after: ServerSettings, circumstances: Circumstances): Text[] {
  const changed = changedSettings({ before, after });
  if (changed.length === 0) return [text('settings.unchanged')];
  const lines = changed.map((name) => {
    const described = {
      setting: settingLabel(name),
      after: describeHolding(name, after[name], circumstances),
      before: describeBefore(name, before[name], circumstances),
    };
    if (!isDeepStrictEqual(described.before, described.after)) return text('settings.changed', described);
    return text('settings.changed-unnamed', { ...described, which: unnamedIn(name, after[name]) });
  });
  if (changed.includes('style') && after.style && !circumstances.localVoice) {
    // By each member's own voice, whichever it is.
    const characters = styleCharacters(undefined, after.style);
    lines.push(text('style.billed', { voices: 'most', characters }));
  }
  // No form offers them then, but a file may hold them.
  const isUnused =
    isUnlimited(circumstances.limits) && changed.some((name) => SERVER_SETTINGS[name].ownerLimit && after[name]);
  return isUnused ? [...lines, text('settings.limits.unused')] : lines;
}

/** The names of the settings that differ. */
export function changedSettings({ before, after }: Change<ServerSettings>): readonly SettingName[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])] as SettingName[];
  return names.filter((name) => comparable(before[name]) !== comparable(after[name]));
}

/** What of a setting its words leave out: more than so many of a list, the id of a voice, the end of a long text. */
function unnamedIn(name: SettingName, value: unknown): 'rest' | 'voice' | 'end' {
  if (Array.isArray(value) && value.length > NAMED) return 'rest';
  const { kind } = SERVER_SETTINGS[name];
  return kind === 'voice' || kind === 'voices' || kind === 'languageVoices' ? 'voice' : 'end';
}

/** Nothing depends on the order of a list, nor on that of a voice's fields. */
function comparable(value: unknown): string | undefined {
  if (Array.isArray(value)) return JSON.stringify(value.map(comparable).sort());
  if (typeof value === 'object' && value !== null) return JSON.stringify(Object.entries(value).sort());
  return JSON.stringify(value);
}

/** Whether a change took something from a list that is too long for its line to name all of what was in it. */
export const takesUnnamed = ({ before, after }: Change<ServerSettings>): boolean =>
  SETTING_NAMES.some((name) => {
    const [was, is] = [before[name], after[name]].map((value) => (Array.isArray(value) ? value : []));
    if (!was || !is || was.length <= NAMED) return false;
    const left = new Set(is.map((value) => JSON.stringify(value)));
    return was.some((value) => !left.has(JSON.stringify(value)));
  });

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
