import { UserError } from '../../errors/user-errors.ts';
import type { Delivered } from '../../services/playback/speech-order.ts';
import { text } from '../../texts/catalogue.ts';
import { EVERYWHERE, IN_SERVERS, type MessageCommand } from '../framework/command.ts';
import { speak } from './speak.ts';
import { messageWords } from './text-preparation.ts';

/** A command of a message's Apps menu: its words, with the caller's own voice. */
function messageCommand(name: string, as: Delivered, description: MessageCommand['description']): MessageCommand {
  return {
    kind: 'message',
    name,
    description,
    needs: {
      contexts: as === 'voice' ? IN_SERVERS : EVERYWHERE,
      speaks: true,
    },
    replyTo: as === 'voice' ? 'everyone' : 'caller',
    deferred: true,
    async begin(call) {
      const { targetMessage, client } = call.interaction;
      const { id: authorId } = targetMessage.author;
      // Around what was spoken, it tells of voices and credits: nothing anybody wants to pay for.
      if (authorId === client.user.id) throw new UserError(text('speak-message.bots-own'));
      const delivery = { as, privately: as !== 'voice' };
      const words = await messageWords(call, targetMessage, delivery);
      return speak(call, { words, speechOptions: {}, output: {}, from: 'message', authorId, ...delivery });
    },
  };
}

export const speakMessage = messageCommand('Speak this message', 'voice', 'speak-message.description');
export const saveSpeech = messageCommand('Save speech', 'file', 'save-speech.description');
