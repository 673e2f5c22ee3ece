import type { Content, ReplyFile } from '../../discord/replies/content.ts';
import type { ServerSettings } from '../../services/servers/server-settings.ts';
import { text } from '../../texts/catalogue.ts';

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
