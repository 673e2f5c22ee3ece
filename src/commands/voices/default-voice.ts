import { voiceLabel } from '../../discord/replies/voice-label.ts';
import { choiceOf } from '../../services/servers/server-settings.ts';
import type { Voice } from '../../speech/interface/schemas.ts';
import { text } from '../../texts/catalogue.ts';
import type { Reply, Services } from '../framework/command.ts';

/** Makes a voice the default of a server, and says which one it was before. */
export async function setDefaultVoice(
  { settings }: Pick<Services, 'settings'>,
  guildId: string,
  voice: Voice,
): Promise<Reply> {
  const { before } = await settings.change(guildId, (present) => ({ ...present, defaultVoice: choiceOf(voice) }));
  const after = voiceLabel(voice);
  if (before.defaultVoice?.voiceId === voice.id) return { lines: [text('settings.voice.unchanged', { voice: after })] };
  const former = before.defaultVoice ? voiceLabel(before.defaultVoice) : text('settings.voice.before-unset');
  return { lines: [text('settings.voice.changed', { after, before: former })] };
}
