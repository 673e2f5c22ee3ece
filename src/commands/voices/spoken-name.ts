import { quote } from '../../discord/replies/quote.ts';
import { UserError } from '../../errors/user-errors.ts';
import { LEFT_OVER_TOKEN, spokenName } from '../../services/text/readable/names.ts';
import { MAX_SPOKEN_NAME } from '../../services/voices/member-settings.ts';
import { isSpeakable } from '../../speech/interface/tags.ts';
import { type Text, text } from '../../texts/catalog.ts';
import type { CommandCall, Work } from '../framework/command.ts';
import { type OptionDefinition, required, stringOption, subcommand } from '../framework/options.ts';
import { namesFor } from '../say/wording.ts';
import type { VoiceCall } from '../voice-options/voice-option.ts';

export const nameSubcommand = (where: OptionDefinition) =>
  subcommand('name', 'voice.name.description', [
    required(stringOption('name', 'voice.name.name', { maxLength: MAX_SPOKEN_NAME })),
    where,
  ]);

export function setName(call: CommandCall): Work {
  const { interaction, services } = call;
  const guildId =
    interaction.inCachedGuild() && interaction.options.getString('where') !== 'everywhere'
      ? interaction.guildId
      : undefined;
  return async () => {
    const typed = interaction.options.getString('name', true);
    const name = nameToSay(await namingMembers(call, typed), interaction.locale, typed);
    await mustBeAllowed(call, name);
    await services.voices.members.change({ userId: interaction.user.id, guildId }, (own) => ({
      ...own,
      spokenName: name,
    }));
    const lines = [
      text('voice.name.kept', { where: guildId === undefined ? 'everywhere' : 'here', name: quote(name) }),
    ];
    if (guildId === undefined) lines.push(...(await shadowingLines(call)));
    return { lines };
  };
}

/** Mentions of anything but members are removed, because they would be spoken as digits. */
async function namingMembers(call: CommandCall, written: string): Promise<string> {
  const { users } = await namesFor(call, written);
  return written
    .replaceAll(/<@!?(\d{1,20})>/g, (_mention, id: string) => users(id) ?? '')
    .replaceAll(LEFT_OVER_TOKEN, ' ');
}

/** Ends a name at a word. The name of a single emoji may exceed the limit, because it is spoken in words. */
const KEPT = new RegExp(`^.{0,${MAX_SPOKEN_NAME}}(?!\\S)`);

/** The name has emoji only if it has nothing else. Throws a UserError if nothing is left to speak. */
function nameToSay(written: string, locale: string, typed: string): string {
  const said = spokenName(written, locale, MAX_SPOKEN_NAME);
  const name = KEPT.exec(said)?.[0] ?? said.slice(0, MAX_SPOKEN_NAME).toWellFormed();
  if (!isSpeakable(name)) throw new UserError(text('voice.name.unspeakable', { name: quote(typed) }));
  return name;
}

async function shadowingLines({ interaction, services }: VoiceCall): Promise<readonly Text[]> {
  if (!interaction.inCachedGuild()) return [];
  const { guildId, user } = interaction;
  const { spokenName } = await services.voices.members.get({ userId: user.id, guildId });
  return spokenName === undefined
    ? []
    : [text('voice.set.shadowed', { parameters: { list: [text('parameter.spokenName')] } })];
}

async function mustBeAllowed({ interaction, services }: VoiceCall, name: string): Promise<void> {
  const refusal = await services.texts.blockedIn(name, interaction.inCachedGuild() ? interaction.guildId : undefined);
  if (refusal) throw new UserError(text('voice.name.blocked', { name: quote(name) }));
}
