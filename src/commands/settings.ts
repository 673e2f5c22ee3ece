import { ApplicationCommandOptionType, InteractionContextType, PermissionFlagsBits } from 'discord.js';
import { UserError } from '../errors.ts';
import { keptVoices, NO_PREFERENCES } from '../services/preferences.ts';
import type { VoiceChoice } from '../services/settings.ts';
import { chooseVoice } from '../services/voice-choice.ts';
import { type Text, text } from '../texts/catalogue.ts';
import type { ChatCommand, CommandCall, Reply } from './command.ts';
import { serverCall } from './server-call.ts';
import { chooseFreshly, completeVoice, mustBeChosen, voiceLabel } from './voice-option.ts';

export const settings: ChatCommand = {
  name: 'settings',
  description: 'settings.description',
  options: [
    {
      type: ApplicationCommandOptionType.Subcommand,
      name: 'voice',
      description: 'settings.voice.description',
      options: [
        {
          type: ApplicationCommandOptionType.String,
          name: 'voice',
          description: 'settings.voice.voice',
          autocomplete: true,
        },
        { type: ApplicationCommandOptionType.Boolean, name: 'reset', description: 'settings.voice.reset' },
      ],
    },
  ],
  defaultMemberPermissions: PermissionFlagsBits.ManageGuild,
  needs: { contexts: [InteractionContextType.Guild] },
  replyTo: 'caller',
  deferred: true,
  complete: completeVoice,

  begin(anywhere) {
    const call = serverCall(anywhere);
    const { options } = call.interaction;
    const asked = options.getString('voice') ?? undefined;
    const reset = options.getBoolean('reset') ?? false;
    if (reset && asked !== undefined) throw new UserError(text('settings.voice.both'));
    if (reset) return () => resetVoice(call);
    return asked === undefined ? () => showVoice(call) : () => setVoice(call, asked);
  },
};

async function setVoice({ interaction, services }: CommandCall<'cached'>, asked: string): Promise<Reply> {
  const { voice } = await chooseFreshly(services, { asked });
  const defaultVoice: VoiceChoice = { voiceId: voice.id, name: voice.name, model: voice.model };
  const { before } = await services.settings.change(interaction.guildId, (present) => ({ ...present, defaultVoice }));
  const after = voiceLabel(voice);
  if (before.defaultVoice?.voiceId === voice.id) return { lines: [text('settings.voice.unchanged', { voice: after })] };
  return { lines: [text('settings.voice.changed', { after, before: labelOf(before.defaultVoice) })] };
}

async function resetVoice({ interaction, services }: CommandCall<'cached'>): Promise<Reply> {
  const { voice } = await chooseFreshly(services, {});
  const { before } = await services.settings.change(interaction.guildId, ({ defaultVoice: _, ...rest }) => rest);
  const now = voiceLabel(voice);
  if (!before.defaultVoice) return { lines: [text('settings.voice.unset', { voice: now })] };
  return { lines: [text('settings.voice.was-reset', { voice: now, before: voiceLabel(before.defaultVoice) })] };
}

async function showVoice({ interaction, services }: CommandCall<'cached'>): Promise<Reply> {
  const { defaultVoice } = await services.settings.get(interaction.guildId);
  const { voices } = await services.voices.list();
  const { voice, source, vanished } = mustBeChosen(
    chooseVoice(voices, { kept: keptVoices({ ...NO_PREFERENCES, server: { defaultVoice } }) }),
  );
  return {
    lines: [
      ...vanished.map(({ choice }) => text('settings.voice.gone', { voice: voiceLabel(choice) })),
      source === 'server'
        ? text('settings.voice.now', { voice: voiceLabel(voice) })
        : text('settings.voice.unset', { voice: voiceLabel(voice) }),
    ],
  };
}

function labelOf(choice: VoiceChoice | undefined): Text {
  return choice ? voiceLabel(choice) : text('settings.voice.before-unset');
}
