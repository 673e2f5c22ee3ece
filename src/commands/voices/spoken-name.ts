import { quote } from '../../discord/replies/layout.ts';
import { UserError } from '../../errors/user-errors.ts';
import { LEFT_OVER_TOKEN, spokenName } from '../../services/text/readable/names.ts';
import { MAX_SPOKEN_NAME } from '../../services/voices/voices.ts';
import { isSpeakable } from '../../speech/interface/models.ts';
import { text } from '../../texts/catalog.ts';
import type { CommandCall, Work } from '../framework/command.ts';
import { type choiceOption, required, stringOption, subcommand } from '../framework/options.ts';
import { namesFor } from '../say/wording.ts';

export const nameSubcommand = (where: ReturnType<typeof choiceOption>) =>
  subcommand('name', 'voice.name.description', [
    required(stringOption('name', 'voice.name.name', MAX_SPOKEN_NAME)),
    where,
  ]);

export function setName(call: CommandCall): Work {
  const { interaction, services } = call;
  const { members } = services.voices;
  const { id: userId } = interaction.user;
  const hereId = interaction.inCachedGuild() ? interaction.guildId : undefined;
  const guildId = interaction.options.getString('where') === 'everywhere' ? undefined : hereId;
  return async () => {
    const typed = interaction.options.getString('name', true);
    const name = nameToSay(await namingMembers(call, typed), interaction.locale, typed);
    const refusal = await services.texts.blockedIn(name, hereId);
    if (refusal) throw new UserError(text('voice.name.blocked', { name: quote(name) }));
    await members.change({ userId, guildId }, (own) => ({ ...own, spokenName: name }));
    const lines = [
      text('voice.name.kept', { where: guildId === undefined ? 'everywhere' : 'here', name: quote(name) }),
    ];
    if (guildId !== undefined || hereId === undefined) return { lines };
    const shadowing = (await members.get({ userId, guildId: hereId })).spokenName;
    if (shadowing !== undefined)
      lines.push(text('voice.set.shadowed', { parameters: { list: [text('parameter.spokenName')] } }));
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

/** Cuts a name after a whole word. Even a single emoji, spoken as its description, may exceed the limit. */
const KEPT = new RegExp(`^.{0,${MAX_SPOKEN_NAME}}(?!\\S)`);

/** Emoji are spoken only in a name without letters and digits. Throws a UserError if nothing is left to speak. */
function nameToSay(written: string, locale: string, typed: string): string {
  const said = spokenName(written, locale, MAX_SPOKEN_NAME);
  const name = KEPT.exec(said)?.[0] ?? said.slice(0, MAX_SPOKEN_NAME).toWellFormed();
  if (!isSpeakable(name)) throw new UserError(text('voice.name.unspeakable', { name: quote(typed) }));
  return name;
}
