import { ApplicationCommandOptionType, type BaseInteraction } from 'discord.js';
import { DISCORD_LIMITS, quote } from '../../discord/replies/layout.ts';
import { UserError } from '../../errors/user-errors.ts';
import { version } from '../../process/package.ts';
import { STYLE_JOINING_CHARACTERS } from '../../speech/interface/models.ts';
import { type CommandIds, render, type Text, text } from '../../texts/catalog.ts';
import { type ChatCommand, type Command, EVERYWHERE } from '../framework/command.ts';
import { stringOption } from '../framework/options.ts';

export const about: ChatCommand = {
  name: 'about',
  description: 'about.description',
  needs: { contexts: EVERYWHERE },

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
    description: 'help.description',
    // Fixed choices would be the same for every member, but autocomplete offers only commands that the member may use.
    options: [
      stringOption('command', 'help.command-option', {
        autocomplete: true,
        maxLength: DISCORD_LIMITS.choiceCharacters,
      }),
    ],
    needs: { contexts: EVERYWHERE },

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
      const isAsked = (command: Command) =>
        isMeant(command.name, asked) || isMeant(shownName(command, interaction.locale), asked);
      const named = here.find(isAsked);
      if (!named) {
        const isElsewhere = all().filter(isKnown).some(isAsked);
        throw new UserError(
          isElsewhere ? text('refused.server-only') : text('help.unknown', { name: quote(asked, 60) }),
        );
      }
      // The bot cannot see the roles to which admins gave a command in Discord's settings.
      const note = isOpenTo(interaction, named) ? [] : [text('help.for-managers')];
      const shown = usages(named);
      const hasStyle = shown.some(({ options }) => options.some(({ name }) => name === 'style'));
      const isStyleBilled = hasStyle && !services.bot.localVoice;
      const price = { whose: 'any', characters: STYLE_JOINING_CHARACTERS };
      const lines = named.kind === 'message' ? [oneLine(named)] : shown.flatMap((usage) => inFull(usage, commandIds));
      return async () => ({ lines: [...lines, ...(isStyleBilled ? [text('style.billed', price)] : []), ...note] });
    },
  };
}

const isKnown = ({ onlyFor }: Command) => onlyFor === undefined;

const commandsHere = (all: readonly Command[], interaction: BaseInteraction): readonly Command[] =>
  all.filter(isKnown).filter(({ needs }) => interaction.inCachedGuild() || needs.contexts.length > 1);

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

/** A command in the Apps menu has no usage, because nobody types it. */
function usages(command: Command) {
  if (command.kind === 'message') return [];
  const { name, description, options = [] } = command;
  const subcommands = options.filter((option) => option.type === ApplicationCommandOptionType.Subcommand);
  if (subcommands.length === 0) return [{ name, description, options }];
  return subcommands.map((sub) => ({ ...sub, name: `${name} ${sub.name}` }));
}

/** Until Discord has sent the command's id, its name is only bold. */
function mention(name: string, ids: CommandIds): string {
  const id = ids.get(name);
  return id === undefined ? `**/${name}**` : `</${name}:${id}>`;
}

/** Options are left out, because the list of all commands must fit into one message. */
function lineOf(command: Command, ids: CommandIds): Text {
  const description = text(command.description);
  if (command.kind === 'message') return text('help.message-command', { name: text(command.label), description });
  const all = usages(command).map(({ name }) => mention(name, ids));
  return text('lines.pair', { name: all.join(' '), value: description });
}

function inFull({ name, description, options }: ReturnType<typeof usages>[number], ids: CommandIds): Text[] {
  return [
    text('lines.pair', { name: mention(name, ids), value: text(description) }),
    ...options.map((option) => {
      const required = 'required' in option && option.required ? 'yes' : 'no';
      return text('help.option', { name: option.name, required, description: text(option.description) });
    }),
  ];
}
