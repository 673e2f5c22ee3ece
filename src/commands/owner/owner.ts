import { UserError } from '../../errors/user-errors.ts';
import { text } from '../../texts/catalog.ts';
import { cancelControl } from '../framework/buttons.ts';
import {
  type ChatCommand,
  type CommandCall,
  type Control,
  FOR_OWNERS,
  type Form,
  type Work,
} from '../framework/command.ts';
import { bySubcommand, stringOption, subcommand, userOption } from '../framework/options.ts';
import { askToForget, forgetAll } from '../privacy/forget.ts';
import { messageControls, messageForm } from './owner-message.ts';
import { askToLeave, completeServer, findServer, serverControls, spendingReply, statusReply } from './owner-servers.ts';

type Subcommand = 'status' | 'spending' | 'forget' | 'leave' | 'message';

const SERVER = { autocomplete: true, maxLength: 100 } as const;

/** After the question; the argument is what to forget, and of whom. */
const forgetControls: readonly Control[] = [
  {
    name: 'owner-forget',
    needs: { contexts: FOR_OWNERS },
    replyTo: 'message',
    deferred: true,
    begin({ argument, services }) {
      const [what, id = ''] = argument.split(' ');
      if (what !== 'me' && what !== 'me-and-wishes') throw new UserError(text('refused.over'));
      return () => forgetAll(services, { what, id, byOwner: true });
    },
  },
  cancelControl('owner-forget'),
];

/** A command for the bot's owners: everyone else gets the answer for an unknown command. */
export const owner: ChatCommand = {
  name: 'owner',
  onlyFor: 'owner',
  description: 'owner.description',
  options: [
    subcommand('status', 'owner.status.description'),
    subcommand('spending', 'owner.spending.description'),
    subcommand('forget', 'owner.forget.description', [userOption('user', 'owner.forget.user', { required: true })]),
    subcommand('leave', 'owner.leave.description', [
      stringOption('server', 'owner.leave.server', { ...SERVER, required: true }),
    ]),
    subcommand('message', 'owner.message.description', [stringOption('server', 'owner.message.server', SERVER)]),
  ],
  needs: { contexts: FOR_OWNERS },
  replyTo: 'caller',
  // Among these, only a form has to be the first answer. The others are quick, except for the voices, which wait for
  // the service.
  deferred: true,
  controls: [cancelControl('owner-leave'), ...forgetControls, ...serverControls, ...messageControls],
  complete: completeServer,

  begin: (call) => bySubcommand(SUBCOMMANDS, call),
};

const SUBCOMMANDS: Readonly<Record<Subcommand, (call: CommandCall) => Work | Form>> = {
  status:
    ({ services }) =>
    async () =>
      statusReply(await services.bot.status()),
  spending: (call) => () => spendingReply(call),
  forget({ interaction: { options }, services }) {
    const { id } = options.getUser('user', true);
    return () => askToForget(services, { what: 'me', id, byOwner: true });
  },
  leave:
    ({ interaction: { client, options } }) =>
    async () =>
      askToLeave(findServer(client, options.getString('server', true))),
  message({ interaction: { client, options } }) {
    const named = options.getString('server') ?? undefined;
    return { modal: messageForm(named === undefined ? undefined : findServer(client, named)) };
  },
};
