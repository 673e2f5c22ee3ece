import {
  type APIApplicationCommandOption,
  ApplicationCommandOptionType,
  type BaseInteraction,
  type Locale,
} from 'discord.js';
import { quote } from '../../discord/replies/layout.ts';
import { UserError } from '../../errors/user-errors.ts';
import { version } from '../../process/package.ts';
import { STYLE_JOINING_CHARACTERS } from '../../speech/interface/models.ts';
import { type CommandIds, clickable, render, type Text, text } from '../../texts/catalog.ts';
import type { ChatCommand, Command } from '../framework/command.ts';
import { autocompleteOption } from '../framework/options.ts';

export const about: ChatCommand = {
  name: 'about',

  begin({ interaction, services }) {
    const { ping } = interaction.client.ws;
    return async () => ({
      lines: [
        text('about.crier', { version }),
        text(services.bot.localVoice ? 'about.voice-free' : 'about.voice-service'),
        // The ping is negative until Discord has answered the first heartbeat.
        ...(ping >= 0 ? [text('about.ping', { ping: Math.round(ping) })] : []),
        text('about.hint'),
      ],
    });
  },
};

/** `all` is a function, because /help itself is in the list of all commands. */
export function createHelp(all: () => readonly Command[]): Command {
  return {
    name: 'help',
    // Fixed choices would be the same for every member, but autocomplete offers only commands that the member may use.
    options: [autocompleteOption('command', 'help.command-option')],

    async complete({ interaction }) {
      const typed = interaction.options.getFocused();
      return commandsHere(all(), interaction)
        .filter((command) => isOpenTo(interaction, command))
        .map((command) => ({ name: shownName(command, interaction.locale), value: command.name }))
        .filter((names) => Object.values(names).some((name) => isMeant(name, typed) || holds(name, typed)));
    },

    begin({ interaction, services }) {
      const isDirect = !interaction.inCachedGuild();
      const here = commandsHere(all(), interaction);
      const { commandIds } = services.bot;
      const { locale } = interaction;
      const oneLine = (command: Command) => lineOf(command, commandIds);
      const asked = interaction.options.getString('command');
      if (asked === null) {
        const usable = here.filter((command) => isOpenTo(interaction, command));
        const lines = [text(isDirect ? 'help.title-direct' : 'help.title')];
        lines.push(...usable.filter((command) => !isManagers(command)).map(oneLine));
        const ofManagers = usable.filter(isManagers).map(oneLine);
        if (ofManagers.length > 0) lines.push(text('help.managers'), ...ofManagers);
        lines.push(text('help.more'));
        // A panel can hold twice the text of a normal message.
        return async () => ({ lines: [], panel: [{ kind: 'text', lines }] });
      }
      const isAsked = (command: Command) => isMeant(command.name, asked) || isMeant(shownName(command, locale), asked);
      const named = here.find(isAsked);
      if (!named) {
        const isElsewhere = all().filter(isKnown).some(isAsked);
        throw new UserError(
          isElsewhere ? text('refused.server-only') : text('help.unknown', { name: quote(asked, 60) }),
        );
      }
      // The bot cannot see the roles to which admins gave a command in Discord's settings.
      const note = isOpenTo(interaction, named) ? [] : [text('help.for-managers')];
      const isStyleBilled = named.kind !== 'message' && takesStyle(named.options) && !services.bot.localVoice;
      const price = { whose: 'any', characters: STYLE_JOINING_CHARACTERS };
      const lines = inFull(named, locale, commandIds);
      return async () => ({ lines: [...lines, ...(isStyleBilled ? [text('style.billed', price)] : []), ...note] });
    },
  };
}

const isKnown = ({ onlyFor }: Command) => onlyFor !== 'owner';

const commandsHere = (all: readonly Command[], interaction: BaseInteraction): readonly Command[] =>
  all.filter(isKnown).filter(({ onlyFor }) => interaction.inCachedGuild() || onlyFor !== 'servers');

const isOpenTo = ({ memberPermissions }: BaseInteraction, { defaultMemberPermissions: needed }: Command): boolean =>
  needed === undefined || (memberPermissions?.has(needed) ?? false);

const isManagers = ({ defaultMemberPermissions }: Command): boolean => defaultMemberPermissions !== undefined;

const shownName = (command: Command, locale: string): string =>
  command.kind === 'message' ? render(text(command.label), locale) : command.name;

const plainName = (typed: string): string => typed.trim().replace(/^\//, '').toLowerCase();

const holds = (name: string, typed: string): boolean => name.toLowerCase().includes(plainName(typed));

/** “voice set” counts as “voice”, because /help explains all subcommands together. */
const isMeant = (name: string, typed: string): boolean =>
  plainName(typed) === name.toLowerCase() || plainName(typed).startsWith(`${name.toLowerCase()} `);

/** Until Discord has sent the command's id, its name is only bold. */
function mention(name: string, ids: CommandIds): string {
  const id = ids.get(name);
  return id === undefined ? `**/${name}**` : `</${name}:${id}>`;
}

const subcommandsOf = ({ options = [] }: ChatCommand) =>
  options.filter((option) => option.type === ApplicationCommandOptionType.Subcommand);

/** Options are left out, because the list of all commands must fit into one message. */
function lineOf(command: Command, ids: CommandIds): Text {
  if (command.kind === 'message') {
    return text('help.message-command', { name: text(command.label), description: text(command.description) });
  }
  const description = text(`${command.name}.description`);
  const usages = subcommandsOf(command).map((sub) => mention(`${command.name} ${sub.name}`, ids));
  return text('lines.pair', { name: usages.join(' ') || mention(command.name, ids), value: description });
}

/** A command in the Apps menu has no options, because nobody types it. */
function inFull(command: Command, locale: Locale, ids: CommandIds): Text[] {
  if (command.kind === 'message') return [lineOf(command, ids)];
  const { name, options = [] } = command;
  const lineOfOption = (option: APIApplicationCommandOption) => {
    const required = option.required ? 'yes' : 'no';
    return text('help.option', { name: option.name, required, description: descriptionIn(locale, option, ids) });
  };
  const subcommands = subcommandsOf(command);
  if (subcommands.length === 0) return [lineOf(command, ids), ...options.map(lineOfOption)];
  return subcommands.flatMap((sub) => [
    text('lines.pair', { name: mention(`${name} ${sub.name}`, ids), value: descriptionIn(locale, sub, ids) }),
    ...(sub.options ?? []).map(lineOfOption),
  ]);
}

const descriptionIn = (locale: Locale, option: APIApplicationCommandOption, ids: CommandIds): string =>
  clickable(option.description_localizations?.[locale] ?? option.description, ids);

const takesStyle = (options: readonly APIApplicationCommandOption[] = []): boolean =>
  options.some((option) => option.name === 'style' || ('options' in option && takesStyle(option.options)));
