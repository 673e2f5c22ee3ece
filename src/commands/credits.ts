import { InteractionContextType } from 'discord.js';
import { text } from '../texts/catalogue.ts';
import type { ChatCommand } from './command.ts';

export const credits: ChatCommand = {
  name: 'credits',
  description: 'credits.description',
  needs: { contexts: [InteractionContextType.Guild], cooldown: { uses: 3, perMs: 15_000 } },
  replyTo: 'caller',
  deferred: true,

  begin({ services }) {
    return async () => {
      const { creditsLeft, lastUpdated } = await services.speech.billing({ deadlineMs: 15_000 });
      if (services.localVoice) return { lines: [text('credits.left-local', { left: creditsLeft })] };
      const updatedAtMs = Date.parse(lastUpdated ?? '');
      return {
        lines: [
          text('credits.left', { left: creditsLeft }),
          ...(Number.isNaN(updatedAtMs)
            ? []
            : [text('credits.updated', { when: `<t:${Math.round(updatedAtMs / 1000)}:R>` })]),
        ],
      };
    };
  },
};
