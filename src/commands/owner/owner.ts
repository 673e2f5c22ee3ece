import { ApplicationCommandOptionType, InteractionContextType } from 'discord.js';
import { text } from '../../texts/catalogue.ts';
import type { ChatCommand, CommandCall, Form, Work } from '../framework/command.ts';
import { bySubcommand } from '../framework/subcommand.ts';
import { messageControls, messageForm } from './owner-message.ts';
import { askToLeave, completeServer, serverControls, serverNamed, spendingPage } from './owner-servers.ts';
import { statusReply } from './owner-status.ts';

type Subcommand = 'status' | 'spending' | 'reload' | 'leave' | 'message';

const SERVER = {
  type: ApplicationCommandOptionType.String,
  name: 'server',
  autocomplete: true,
  maxLength: 100,
} as const;

/** For whoever runs the bot: everybody else is told what is told of a command that does not exist. */
type OwnerServices = 'voices' | 'announcements' | 'log' | 'rules' | 'spending' | 'status';

export const owner: ChatCommand<OwnerServices> = {
  name: 'owner',
  onlyFor: 'owner',
  description: 'owner.description',
  options: [
    { type: ApplicationCommandOptionType.Subcommand, name: 'status', description: 'owner.status.description' },
    { type: ApplicationCommandOptionType.Subcommand, name: 'spending', description: 'owner.spending.description' },
    { type: ApplicationCommandOptionType.Subcommand, name: 'reload', description: 'owner.reload.description' },
    {
      type: ApplicationCommandOptionType.Subcommand,
      name: 'leave',
      description: 'owner.leave.description',
      options: [{ ...SERVER, description: 'owner.leave.server', required: true }],
    },
    {
      type: ApplicationCommandOptionType.Subcommand,
      name: 'message',
      description: 'owner.message.description',
      options: [{ ...SERVER, description: 'owner.message.server' }],
    },
  ],
  needs: { contexts: [InteractionContextType.Guild, InteractionContextType.BotDM] },
  replyTo: 'caller',
  // Of these only a form has to be the first answer; the others are quick, but for the voices, which wait for the service.
  deferred: true,
  controls: [...serverControls, ...messageControls],
  complete: completeServer,

  begin: (call) => bySubcommand(SUBCOMMANDS, call),
};

const SUBCOMMANDS: Readonly<Record<Subcommand, (call: CommandCall<OwnerServices>) => Work | Form>> = {
  status:
    ({ services }) =>
    async () =>
      statusReply(await services.status()),
  spending: (call) => () => spendingPage(call, 0),
  reload:
    ({ services: { voices } }) =>
    async () => {
      const { voices: all, models, fetchedAtMs } = await voices.refresh();
      const since = `<t:${Math.round(fetchedAtMs / 1000)}:R>`;
      return {
        lines: [
          voices.stale
            ? text('owner.reload.failed', { since })
            : text('owner.reload.done', { voices: all.length, models: models.length }),
        ],
      };
    },
  leave(call) {
    const guild = serverNamed(call.interaction.client, call.interaction.options.getString('server', true));
    return async () => askToLeave(guild);
  },
  message(call) {
    const named = call.interaction.options.getString('server');
    const guild = named === null ? undefined : serverNamed(call.interaction.client, named);
    return { modal: messageForm(guild) };
  },
};
