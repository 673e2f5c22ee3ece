import type { Content, ReplyFile } from '../../discord/replies/content.ts';
import type { ServerSettings } from '../../services/servers/server-settings.ts';
import type { Change } from '../../services/storage/editable-records.ts';
import { text } from '../../texts/catalogue.ts';
import type { Reply } from '../framework/command.ts';
import { changedSettings, takesUnnamed } from './change.ts';

export function exportSettings(settings: ServerSettings): string {
  return `${JSON.stringify({ format: 'crier-settings-1', settings }, undefined, 2)}\n`;
}

export const settingsFile = (settings: ServerSettings, name: string): ReplyFile => ({
  name: `${name}.json`,
  bytes: new TextEncoder().encode(exportSettings(settings)),
});

/** What takes a change back, for whoever made it. */
export const settingsBefore = (before: ServerSettings): Content => ({
  lines: [text('settings.before')],
  files: [settingsFile(before, 'crier-settings-before')],
});

/** With that, where the reply does not name all of what a change took away. */
export const withBefore = (reply: Reply, change: Change<ServerSettings>): Reply =>
  takesUnnamed(change) ? { ...reply, also: settingsBefore(change.before) } : reply;

/** With that, where anything changed. */
export const withReplaced = (reply: Reply, change: Change<ServerSettings>): Reply =>
  changedSettings(change).length > 0 ? { ...reply, also: settingsBefore(change.before) } : reply;
