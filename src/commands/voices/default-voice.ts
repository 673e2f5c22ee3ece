import { voiceLabel } from '../../discord/replies/voice-label.ts';
import { choiceOf, type VoiceChoice } from '../../services/servers/server-settings.ts';
import type { Voice } from '../../speech/interface/schemas.ts';
import { type Text, text } from '../../texts/catalogue.ts';
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
  return { lines: [text('settings.voice.changed', { after, before: labelOf(before.defaultVoice) })] };
}

function labelOf(choice: VoiceChoice | undefined): Text {
  return choice ? voiceLabel(choice) : text('settings.voice.before-unset');
}
