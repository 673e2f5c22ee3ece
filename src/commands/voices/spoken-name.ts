import type { BaseInteraction } from 'discord.js';
import { button } from '../../discord/replies/layout.ts';
import { quote } from '../../discord/replies/quote.ts';
import { UserError } from '../../errors/user-errors.ts';
import { LONGEST_SPOKEN_NAME } from '../../services/voices/member-settings.ts';
import { isSpeakable } from '../../speech/speakable.ts';
import { text } from '../../texts/catalogue.ts';
import type { CommandCall, ControlCall, Reply, Services, Work } from '../framework/command.ts';
import { stringOption, subcommand } from '../framework/options.ts';

type NameServices = 'members' | 'spokenTexts';
type Where = 'here' | 'everywhere';

/** `/voice name`: how the bot says one's name. `where` is the option of all of `/voice`. */
export const nameSubcommand = (where: ReturnType<typeof stringOption>) =>
  subcommand('name', 'voice.name.description', [
    stringOption('name', 'voice.name.name', { required: true, maxLength: LONGEST_SPOKEN_NAME }),
    where,
  ]);

/** Nothing is changed before it was listened to, or kept at once. */
export function askName(call: CommandCall<NameServices>): Work {
  const { interaction } = call;
  const name = plainName(interaction.options.getString('name', true));
  const here = interaction.inCachedGuild() && interaction.options.getString('where') !== 'everywhere';
  const argument = writeName({ name, where: here ? 'here' : 'everywhere' });
  return async () => {
    await mustBeAllowed(call, name);
    return {
      lines: [text('voice.name.ask', { name: quote(name) })],
      rows: [
        [
          button('voice-name-listen', text('voices.preview'), argument, 'primary'),
          button('voice-name', text('voice.name.keep'), argument),
        ],
      ],
    };
  };
}

/** What a button was made for. */
export async function keepName(call: ControlCall<NameServices>): Promise<Reply> {
  const { interaction, services } = call;
  const { name, where } = readName(call.argument);
  await mustBeAllowed(call, name);
  const guildId = where === 'here' && interaction.inCachedGuild() ? interaction.guildId : undefined;
  await services.members.change({ userId: interaction.user.id, guildId }, (own) => ({ ...own, spokenName: name }));
  return {
    lines: [text('voice.name.kept', { where: guildId === undefined ? 'everywhere' : 'here', name: quote(name) })],
  };
}

const writeName = ({ name, where }: { readonly name: string; readonly where: Where }) => `${where} ${name}`;

/** Custom ids are input like any other. */
export function readName(argument: string): { readonly name: string; readonly where: Where } {
  const [where, ...words] = argument.split(' ');
  return { name: plainName(words.join(' ')), where: where === 'here' ? 'here' : 'everywhere' };
}

function plainName(written: string): string {
  const name = written.replace(/\s+/gu, ' ').trim().slice(0, LONGEST_SPOKEN_NAME).toWellFormed();
  if (!isSpeakable(name)) throw new UserError(text('voice.name.unspeakable', { name: quote(name) }));
  return name;
}

/** Rejects with a BlockedWordError where the server blocks it. */
export async function mustBeAllowed(
  {
    interaction,
    services,
  }: { readonly interaction: BaseInteraction; readonly services: Pick<Services, 'spokenTexts'> },
  name: string,
): Promise<void> {
  const guildId = interaction.inCachedGuild() ? interaction.guildId : undefined;
  await services.spokenTexts.ofReadable(name, { guildId, locale: interaction.locale, tags: 'remove' });
}
