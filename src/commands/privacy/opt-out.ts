import { text } from '../../texts/catalogue.ts';
import { type ChatCommand, EVERYWHERE } from '../framework/command.ts';
import { booleanOption } from '../framework/options.ts';

export const optOut: ChatCommand = {
  name: 'opt-out',
  description: 'opt-out.description',
  options: [booleanOption('back', 'opt-out.back')],
  needs: {
    contexts: EVERYWHERE,
  },
  replyTo: 'caller',
  deferred: true,

  async begin({ interaction, services }) {
    const isOut = interaction.options.getBoolean('back') !== true;
    const wasOut = await services.privacy.optOuts.set(interaction.user.id, isOut);
    const line = isOut
      ? text(wasOut ? 'opt-out.already' : 'opt-out.done')
      : text(wasOut ? 'opt-out.taken-back' : 'opt-out.never');
    return async () => ({ lines: [line] });
  },
};
