import type { Modal } from '../../discord/replies/layout.ts';
import { UserError } from '../../errors/user-errors.ts';
import type { SpeechOrder } from '../../services/queue/queue-item.ts';
import type { ServerRules } from '../../services/servers/admission.ts';
import { type PlainTextKey, render, text } from '../../texts/catalog.ts';
import type { ChatCommand, CommandCall, Control, MessageCommand, SpeakCall } from '../framework/command.ts';
import { choiceOption, stringOption, voiceChannelOption } from '../framework/options.ts';
import {
  completeVoice,
  givenOptions,
  languageOption,
  SPEECH_OPTIONS,
  voiceOption,
} from '../voice-options/voice-option.ts';
import { saveButton } from './files.ts';
import { cancelOrder, findOrder, goOnName, offeringBack, takeOrder } from './offers.ts';
import { mustBeCool, mustHaveAllowedStyle, placeOf, rulesFor, speak } from './speak.ts';
import { messageWords } from './wording.ts';

export const LONG_TEXT_CHARACTERS = 4_000;

/** The form's custom id holds a token for the stored request, which keeps the other options of /say. */
const textForm: Control = {
  name: 'say-text',
  speaks: true,
  replyTo: 'everyone',
  deferred: true,
  async form(call) {
    // Once the stored request is gone, the reopened form has the typed text, but not the other options of /say.
    const order = findOrder(call) ?? plainOrder(call);
    const token = findOrder(call) ? call.argument : call.services.pending.put('order', order);
    return longTextForm(token, order, await rulesFor(call));
  },
  begin(call) {
    const order = findOrder(call);
    // A member must not change the words of another member's message.
    if (order?.from !== 'own') throw new UserError(text('say.form-over'));
    return speak(call, { ...order, words: (call.fields.text ?? '').trim() });
  },
};

/** Direct messages have no voice channel, so /say replies there with a voice message. */
export const plainOrder = ({ interaction }: SpeakCall): SpeechOrder => ({
  userId: interaction.user.id,
  textChannelId: interaction.channelId ?? undefined,
  words: '',
  speechOptions: {},
  from: 'own',
  as: interaction.inGuild() ? 'voice' : 'voice-message',
});

const goOn = (privately: boolean): Control => ({
  name: goOnName(privately),
  speaks: true,
  replyTo: privately ? 'caller' : 'everyone',
  deferred: true,
  begin(call) {
    // The stored request is taken before any wait, so that a second press does not speak it twice.
    const order = takeOrder(call);
    return speak(call, order).catch((error: unknown) => {
      throw offeringBack(error, order, call.services);
    });
  },
});

export const say: ChatCommand = {
  name: 'say',
  options: [
    stringOption('text', 'say.text', LONG_TEXT_CHARACTERS),
    voiceOption('say.voice'),
    languageOption('say.language'),
    ...SPEECH_OPTIONS,
    voiceChannelOption('say.channel'),
    choiceOption('as', 'say.as', [
      { name: text('say.as.voice'), value: 'voice' },
      { name: text('say.as.file'), value: 'file' },
      { name: text('say.as.voice-message'), value: 'voice-message' },
      { name: text('say.as.script'), value: 'script' },
    ]),
  ],
  speaks: true,
  replyTo: 'everyone',
  deferred: true,
  complete: completeVoice,
  controls: [textForm, goOn(false), goOn(true), cancelOrder, saveButton],

  async begin(call) {
    const order = orderOf(call);
    if (order.isScript && (order.voice !== undefined || order.language !== undefined)) {
      throw new UserError(text('script.no-options'));
    }
    if (call.interaction.options.getString('text') !== null) return speak(call, order);
    // The request is checked before the form is shown, because a refusal after the form could lose a long text.
    const { rules } = await placeOf(call, order);
    mustBeCool(call, rules);
    await mustHaveAllowedStyle(call, order);
    return longTextForm(call.services.pending.put('order', order), order, rules);
  },
};

function orderOf(call: CommandCall): SpeechOrder {
  const { options } = call.interaction;
  const plain = plainOrder(call);
  const as = options.getString('as');
  return {
    ...plain,
    words: options.getString('text')?.trim() ?? '',
    voice: options.getString('voice') ?? undefined,
    language: options.getString('language') ?? undefined,
    speechOptions: givenOptions(options),
    as: as === 'file' || as === 'voice-message' || as === 'voice' ? as : plain.as,
    isScript: as === 'script' || undefined,
    channelId: options.getChannel('channel')?.id,
  };
}

/** The server's limit cannot be checked yet: it counts the text as spoken, where emoji and links become words. */
function longTextForm(argument: string, { isScript }: SpeechOrder, { maxCharacters }: ServerRules): Modal {
  const limit = Math.min(maxCharacters, LONG_TEXT_CHARACTERS);
  const field = {
    kind: 'paragraph',
    name: 'text',
    label: text(isScript ? 'script.form-lines' : 'say.text'),
    description: isScript ? text('script.form-hint') : text('say.form-hint', { limit }),
    required: true,
    value: '',
    maxLength: LONG_TEXT_CHARACTERS,
  } as const;
  return { title: text(isScript ? 'script.form' : 'say.form'), control: 'say-text', argument, fields: [field] };
}

function messageCommand(as: SpeechOrder['as'], label: PlainTextKey, description: PlainTextKey): MessageCommand {
  return {
    kind: 'message',
    name: render(text(label)),
    label,
    description,
    onlyFor: as === 'voice' ? 'servers' : undefined,
    speaks: true,
    replyTo: as === 'voice' ? 'everyone' : 'caller',
    deferred: true,
    async begin(call) {
      const { targetMessage, client } = call.interaction;
      const { id: authorId } = targetMessage.author;
      // The bot's messages are reports about voices and credits, not texts to speak: the refusal suggests /replay.
      if (authorId === client.user.id) throw new UserError(text('speak-message.bots-own'));
      const order: SpeechOrder = { ...plainOrder(call), from: 'message', authorId, as, privately: as !== 'voice' };
      return speak(call, { ...order, words: await messageWords(call, targetMessage, order, await rulesFor(call)) });
    },
  };
}

export const speakMessage = messageCommand('voice', 'speak-message.name', 'speak-message.description');
export const saveSpeech = messageCommand('file', 'save-speech.name', 'save-speech.description');
