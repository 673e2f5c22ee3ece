import { button, type Modal } from '../../discord/replies/layout.ts';
import { UserError } from '../../errors/user-errors.ts';
import type { SpeechOrder } from '../../services/playback/speech-order.ts';
import { text } from '../../texts/catalogue.ts';
import {
  type ChatCommand,
  type CommandCall,
  type Control,
  type ControlCall,
  EVERYWHERE,
} from '../framework/command.ts';
import { stringOption, voiceChannelOption } from '../framework/options.ts';
import {
  FORMAT_OPTION,
  givenOptions,
  givenOutput,
  MANNER_OPTIONS,
  SEED_OPTION,
} from '../voice-options/speech-options.ts';
import { completeVoice, languageOption } from '../voice-options/voice-option.ts';
import { cancelControl, offeringBack } from './confirm-and-retry.ts';
import { checkTextCooldown } from './cooldown.ts';
import { findOwnWords, keepOrder, lookUpOwnWords, takeOrder } from './pending-requests.ts';
import { saveButton } from './save.ts';
import { placeOf, speak } from './speak.ts';
import type { SpeakServices } from './speak-call.ts';

const needs = {
  contexts: EVERYWHERE,
  speaks: true,
};

/** What a form takes; longer than any option that is typed in one line. */
export const LONG_TEXT_CHARACTERS = 4_000;

/** The form for a long text. Its argument stands for what was chosen in the command's options. */
const longText: Control<SpeakServices> = {
  name: 'say-text',
  needs,
  replyTo: 'everyone',
  deferred: true,
  async begin(call) {
    const work = await speak(call, writtenOrder(call, lookUpOwnWords(call)));
    return async (progress) => {
      const reply = await work(progress);
      call.services.pending.take(call.argument);
      return reply;
    };
  },
  offerBack(call) {
    const order = findOwnWords(call);
    if (!order) return [];
    call.services.pending.take(call.argument);
    const argument = keepOrder(call, writtenOrder(call, order));
    return [[button('say-edit', text('say.edit'), argument)]];
  },
};

const writtenOrder = ({ fields }: Pick<ControlCall, 'fields'>, order: SpeechOrder): SpeechOrder => ({
  ...order,
  words: (fields.text ?? '').trim(),
  // What was confirmed and accepted are other words.
  isConfirmed: false,
  wasAccepted: false,
});

/** The form again, with what was written in it. */
const editText: Control<SpeakServices> = {
  name: 'say-edit',
  needs: { contexts: EVERYWHERE },
  replyTo: 'caller',
  deferred: false,
  begin: (call) => ({ modal: longTextForm(call.argument, lookUpOwnWords(call)) }),
};

/** Speaks what was kept: after it was said what it costs, or once more after a failure. */
const goOn: Control<SpeakServices> = {
  name: 'say-go',
  needs,
  replyTo: ({ services, argument }) => (services.pending.peek(argument)?.privately ? 'caller' : 'everyone'),
  deferred: true,
  begin(call) {
    // At once: a second press finds nothing.
    const order = takeOrder(call);
    return speak(call, order).catch((error: unknown) => {
      throw offeringBack(error, order, call);
    });
  },
};

export const say: ChatCommand<SpeakServices> = {
  name: 'say',
  description: 'say.description',
  options: [
    stringOption('text', 'say.text', { maxLength: LONG_TEXT_CHARACTERS }),
    stringOption('voice', 'say.voice', { autocomplete: true }),
    languageOption('say.language'),
    ...MANNER_OPTIONS,
    SEED_OPTION,
    FORMAT_OPTION,
    voiceChannelOption('say.channel'),
    stringOption('as', 'say.as', {
      choices: [
        { name: 'say.as.voice', value: 'voice' },
        { name: 'say.as.file', value: 'file' },
        { name: 'say.as.voice-message', value: 'voice-message' },
        { name: 'say.as.script', value: 'script' },
      ],
    }),
  ],
  needs,
  replyTo: 'everyone',
  deferred: true,
  complete: completeVoice,
  controls: [longText, editText, goOn, cancelControl, saveButton],

  async begin(call) {
    const order = orderOf(call);
    if (order.isScript && (order.voice !== undefined || order.language !== undefined)) {
      throw new UserError(text('script.no-options'));
    }
    if (call.interaction.options.getString('text') === null) {
      // Before it is written: a long text that cannot be spoken would be lost.
      const { rules } = await placeOf(call, order);
      checkTextCooldown(call, rules);
      return { modal: longTextForm(keepOrder(call, order), order) };
    }
    return speak(call, order);
  },
};

function orderOf({ interaction }: Pick<CommandCall, 'interaction'>): SpeechOrder {
  const { options } = interaction;
  const as = options.getString('as');
  const isAs = as === 'file' || as === 'voice-message' || as === 'voice';
  return {
    words: options.getString('text')?.trim() ?? '',
    voice: options.getString('voice') ?? undefined,
    language: options.getString('language') ?? undefined,
    speechOptions: givenOptions(options),
    output: givenOutput(options),
    // A direct message has no voice channel to speak in.
    as: isAs ? as : interaction.inGuild() ? 'voice' : 'voice-message',
    ...(as === 'script' && { isScript: true }),
    channelId: options.getChannel('channel')?.id,
    from: 'own',
  };
}

function longTextForm(token: string, { words: written, isScript }: Pick<SpeechOrder, 'words' | 'isScript'>): Modal {
  return {
    title: text(isScript ? 'script.form' : 'say.form'),
    control: 'say-text',
    argument: token,
    fields: [
      {
        kind: 'paragraph',
        name: 'text',
        label: text(isScript ? 'script.form-lines' : 'say.form-text'),
        description: text(isScript ? 'script.form-hint' : 'say.form-hint'),
        minLength: 1,
        maxLength: LONG_TEXT_CHARACTERS,
        ...(written && { value: written }),
      },
    ],
  };
}
