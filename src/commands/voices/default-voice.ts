import { voiceLabel } from '../../discord/replies/quote.ts';
import { UserError } from '../../errors/user-errors.ts';
import { choiceOf, type ServerSettings } from '../../services/servers/server-settings.ts';
import { isAllowed } from '../../services/voices/voice-rules.ts';
import type { Voice } from '../../speech/interface/schemas.ts';
import { text } from '../../texts/catalogue.ts';
import type { Reply, Services } from '../framework/command.ts';

/** Makes a voice the default of a server, and says which one it was before. */
export async function setDefaultVoice({ settings }: Services, guildId: string, voice: Voice): Promise<Reply> {
  const { before } = await settings.change(guildId, (present) => withDefaultVoice(present, voice));
  const after = voiceLabel(voice);
  const former = before.defaultVoice ? voiceLabel(before.defaultVoice) : text('settings.voice.before-unset');
  const isSame = before.defaultVoice?.voiceId === voice.id;
  return {
    lines: [
      isSame
        ? text('settings.voice.unchanged', { voice: after })
        : text('settings.voice.changed', { after, before: former }),
    ],
  };
}

/** Throws a UserError for a voice that the server does not allow: it would never speak. */
export function withDefaultVoice(settings: ServerSettings, voice: Voice): ServerSettings {
  if (!isAllowed(voice, settings)) throw new UserError(text('refused.voice-not-allowed', { voice: voiceLabel(voice) }));
  return { ...settings, defaultVoice: choiceOf(voice) };
}
