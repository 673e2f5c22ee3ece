import { version } from '../../process/package.ts';
import { text } from '../../texts/catalog.ts';
import { type ChatCommand, EVERYWHERE } from '../framework/command.ts';

export const about: ChatCommand = {
  name: 'about',
  description: 'about.description',
  needs: { contexts: EVERYWHERE },
  replyTo: 'caller',
  deferred: false,

  begin({ interaction, services }) {
    const { ping } = interaction.client.ws;
    return async () => ({
      lines: [
        text('about.crier', { version }),
        text(services.bot.localVoice ? 'about.voice-free' : 'about.voice-service'),
        // Until Discord has answered the first heartbeat, the ping is negative, so /about leaves it out.
        ...(ping >= 0 ? [text('about.ping', { ping: Math.round(ping) })] : []),
        text('about.hint'),
      ],
    });
  },
};
