import { voiceLabel } from '../../discord/replies/voice-label.ts';
import { UserError } from '../../errors/user-errors.ts';
import { choiceOf, type ServerSettings } from '../../services/servers/server-settings.ts';
import { keptByServer } from '../../services/voices/preferences.ts';
import { chooseVoice } from '../../services/voices/voice-choice.ts';
import { isAllowed, voicesUnder } from '../../services/voices/voice-rules.ts';
import type { Voice } from '../../speech/interface/schemas.ts';
import { type Text, text } from '../../texts/catalogue.ts';
import type { Reply, Services } from '../framework/command.ts';
import { keptIgnoredLines } from '../voice-options/speech-options.ts';

/** Makes a voice the default of a server, and says which one it was before, and what of the server's defaults it ignores. */
export async function setDefaultVoice({ settings, voices }: Services, guildId: string, voice: Voice): Promise<Reply> {
  const list = await voices.list();
  const { before, after: now } = await settings.change(guildId, (present) => withDefaultVoice(present, voice));
  const after = voiceLabel(voice);
  const former = before.defaultVoice ? voiceLabel(before.defaultVoice) : text('settings.voice.before-unset');
  const isSame = before.defaultVoice?.voiceId === voice.id;
  return {
    lines: [
      isSame
        ? text('settings.voice.unchanged', { voice: after })
        : text('settings.voice.changed', { after, before: former }),
      ...ignoredDefaults(now, list.voices),
    ],
  };
}

/** Throws a UserError for a voice that the server does not allow: it would never speak. */
export function withDefaultVoice(settings: ServerSettings, voice: Voice): ServerSettings {
  if (!isAllowed(voice, settings)) throw new UserError(text('refused.voice-not-allowed', { voice: voiceLabel(voice) }));
  return { ...settings, defaultVoice: choiceOf(voice) };
}

/** Of a server's default style, speed and temperature, what its voice ignores. */
export function ignoredDefaults(settings: ServerSettings, voices: readonly Voice[]): readonly Text[] {
  const chosen = chooseVoice(voices, { kept: keptByServer(settings), rules: settings });
  return chosen.kind === 'chosen' ? keptIgnoredLines(chosen.voice, settings, voicesUnder(settings, { voices })) : [];
}
