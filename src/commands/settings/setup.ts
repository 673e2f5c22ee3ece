import { MANAGE_SERVER } from '../../discord/channels/permissions.ts';
import { UserError } from '../../errors/user-errors.ts';
import { text } from '../../texts/catalogue.ts';
import { messageControl, serverCommand, serverControl } from '../framework/server-call.ts';
import { withDefaultVoice } from '../voices/default-voice.ts';
import { voiceOf } from '../voices/voice-card.ts';
import { changeSettings } from './change.ts';
import { isStep, stepOf } from './setup-steps.ts';

/** Three steps through what a server needs first, each of which can be skipped; also offered where the bot is new. */
export const setup = serverCommand({
  name: 'setup',
  description: 'setup.description',
  defaultMemberPermissions: MANAGE_SERVER,
  replyTo: 'caller',
  deferred: true,

  begin: (call) => () => stepOf(call, 'voice'),

  // Those of the panel's settings that stand in the steps are the panel's.
  controls: [
    serverControl({
      // On the welcome, which all members see: the steps stand in a message for the admin alone.
      name: 'setup-begin',
      replyTo: 'caller',
      deferred: true,
      begin: (call) => () => stepOf(call, 'voice'),
    }),
    messageControl('setup-step', (call) => {
      const { argument } = call;
      if (!isStep(argument)) throw new UserError(text('refused.over'));
      return () => stepOf(call, argument);
    }),
    messageControl('setup-voice', (call) => async () => {
      const { interaction, services, values } = call;
      const [id = ''] = values;
      const voice = await voiceOf(services, id);
      const { lines } = await changeSettings(services, interaction.guildId, (before) =>
        withDefaultVoice(before, voice),
      );
      return stepOf(call, 'voice', lines);
    }),
  ],
});
