import { button, type PanelPart } from '../../discord/replies/layout.ts';
import { SETTING_NAMES, type ServerSettings, type SettingName } from '../../services/servers/server-settings.ts';
import type { SetAside } from '../../services/storage/store.ts';
import { type Text, text } from '../../texts/catalogue.ts';
import { settingLabel } from './describe.ts';

/** Settings of another version of the bot, that the panel offers back. */
export interface SetAsideSettings {
  /** Those that this version cannot read; undefined stands for all of them. */
  readonly unreadable: readonly (SettingName | undefined)[];
  /** Those that it can read and that are others now. */
  readonly readable: readonly SettingName[];
}

/** Undefined when there is nothing to offer. */
export function setAsideSettings(
  found: SetAside<ServerSettings> | undefined,
  present: ServerSettings,
): SetAsideSettings | undefined {
  const { readable: values = {}, unreadable: fields = [] } = found ?? {};
  const unreadable = [
    ...(fields.includes('') ? [undefined] : []),
    ...SETTING_NAMES.filter((name) => fields.includes(name)),
  ];
  const readable = SETTING_NAMES.filter(
    (name) =>
      !unreadable.includes(name) &&
      values[name] !== undefined &&
      JSON.stringify(values[name]) !== JSON.stringify(present[name]),
  );
  return unreadable.length + readable.length > 0 ? { unreadable, readable } : undefined;
}

/** What was set aside, by its names, and the buttons that decide about it. */
export function drawSetAside({ unreadable, readable }: SetAsideSettings): PanelPart[] {
  const lost = unreadable.map((name) => (name === undefined ? text('settings.unreadable-all') : settingLabel(name)));
  const lines: Text[] = [
    ...(lost.length > 0 ? [text('settings.unreadable', { settings: { list: lost } })] : []),
    ...(readable.length > 0 ? [text('settings.set-aside', { settings: { list: readable.map(settingLabel) } })] : []),
    text('settings.set-aside-hint'),
  ];
  const buttons = [
    ...(readable.length > 0 ? [button('settings-restore', text('settings.restore'))] : []),
    button('settings-discard', text('settings.discard'), undefined, 'danger'),
  ];
  return [
    { kind: 'text', lines },
    { kind: 'row', row: buttons },
  ];
}
