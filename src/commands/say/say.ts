import type { ChatInputCommandInteraction } from 'discord.js';
import { button, type Modal } from '../../discord/replies/layout.ts';
import { UserError } from '../../errors/user-errors.ts';
import type { Delivered, SpeechOrder } from '../../services/queue/queue-item.ts';
import type { ServerRules } from '../../services/servers/server-rules.ts';
import { text } from '../../texts/catalog.ts';
import {
  type Asked,
  type ChatCommand,
  type Control,
  type ControlAsked,
  EVERYWHERE,
  IN_SERVERS,
  type MessageCommand,
  OfferedError,
} from '../framework/command.ts';
import { stringOption, voiceChannelOption } from '../framework/options.ts';
import {
  FORMAT_OPTION,
  givenOptions,
  givenOutput,
  MANNER_OPTIONS,
  SEED_OPTION,
} from '../voice-options/speech-options.ts';
import { completeVoice, languageOption, voiceOption } from '../voice-options/voice-option.ts';
import { checkTextCooldown } from './accepted.ts';
import {
  cancelControl,
  findOwnWords,
  keepOrder,
  lookUpOwnWords,
  offeringBack,
  takeOrder,
} from './confirm-and-retry.ts';
import { mustHaveAllowedStyle, placeOf, rulesFor, speak } from './speak.ts';
import { saveButton } from './speech-files.ts';
import { messageWords } from './text-preparation.ts';

const needs = {
  contexts: EVERYWHERE,
  speaks: true,
};

/** What a form takes; longer than any option that is typed in one line. */
export const LONG_TEXT_CHARACTERS = 4_000;

/** The form for a long text, or for a script. Its argument stands for what was chosen in the command's options. */
function textForm(isScript: boolean): Control {
  return {
    name: formName(isScript),
    needs,
    replyTo: 'everyone',
    deferred: true,
    async begin(call) {
      if (isForgotten(call)) {
        const order = writtenOrder(call, { ...plainOrder(call), isScript });
        throw new OfferedError(new UserError(text('say.form-over')), editRow(call, order));
      }
      const work = await speak(call, writtenOrder(call, lookUpOwnWords(call)));
      return async (progress) => {
        const reply = await work(progress);
        takeOwn(call);
        return reply;
      };
    },
    offerBack(call) {
      const order = findOwnWords(call);
      if (!order) return [];
      takeOwn(call);
      return editRow(call, writtenOrder(call, order));
    },
  };
}

const takeOwn = ({ interaction, services, argument }: ControlAsked) =>
  void services.pending.take('order', argument, interaction.user.id);

const editRow = (call: Parameters<typeof keepOrder>[0], order: SpeechOrder) => [
  [button('say-edit', text('say.edit'), keepOrder(call, order))],
];

const formName = (isScript = false): string => (isScript ? 'say-script' : 'say-text');

/** By a restart while the form was open, or after the time that orders are kept: what was written is still there. */
const isForgotten = ({ interaction, services: { pending }, argument }: ControlAsked): boolean =>
  pending.peek('order', argument) === undefined && !pending.wasTakenBy(interaction.user.id, argument);

/** Without any option. A direct message has no voice channel to speak in. */
const plainOrder = ({ interaction }: ControlAsked): SpeechOrder => ({
  userId: interaction.user.id,
  textChannelId: interaction.channelId ?? undefined,
  words: '',
  speechOptions: {},
  output: {},
  from: 'own',
  as: interaction.inGuild() ? 'voice' : 'voice-message',
});

const writtenOrder = ({ fields }: ControlAsked, order: SpeechOrder): SpeechOrder => ({
  ...order,
  words: (fields.text ?? '').trim(),
  // What was confirmed and accepted are other words.
  isConfirmed: false,
  wasAccepted: false,
});

/** The form again, with what was written in it. */
const editText: Control = {
  name: 'say-edit',
  needs: { contexts: EVERYWHERE },
  replyTo: 'caller',
  deferred: false,
  async begin(call) {
    const order = lookUpOwnWords(call);
    return { modal: longTextForm(call.argument, order, await rulesFor(call)) };
  },
};

/** Speaks what was kept: after it was said what it costs, or once more after a failure. */
const goOn: Control = {
  name: 'say-go',
  needs,
  replyTo: ({ services, argument }) => (services.pending.peek('order', argument)?.privately ? 'caller' : 'everyone'),
  deferred: true,
  begin(call) {
    // At once: a second press finds nothing.
    const order = takeOrder(call);
    return speak(call, order).catch((error: unknown) => {
      throw offeringBack(error, order, call);
    });
  },
};

export const say: ChatCommand = {
  name: 'say',
  description: 'say.description',
  options: [
    stringOption('text', 'say.text', { maxLength: LONG_TEXT_CHARACTERS }),
    voiceOption('say.voice'),
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
  controls: [textForm(false), textForm(true), editText, goOn, cancelControl, saveButton],

  async begin(call) {
    const order = orderOf(call);
    if (order.isScript && (order.voice !== undefined || order.language !== undefined)) {
      throw new UserError(text('script.no-options'));
    }
    if (call.interaction.options.getString('text') === null) {
      // Before it is written: a long text that cannot be spoken would be lost.
      const { rules } = await placeOf(call, order);
      checkTextCooldown(call, rules);
      await mustHaveAllowedStyle(call, order);
      return { modal: longTextForm(keepOrder(call, order), order, rules) };
    }
    return speak(call, order);
  },

  /** Several lines cannot be typed as an option. */
  offerBack(call) {
    const order = orderOf(call);
    const { words, isScript, voice, language } = order;
    if (!isScript || words === '' || voice !== undefined || language !== undefined) return [];
    return editRow(call, order);
  },
};

function orderOf({ interaction }: Asked<ChatInputCommandInteraction>): SpeechOrder {
  const { options } = interaction;
  const as = options.getString('as');
  const isAs = as === 'file' || as === 'voice-message' || as === 'voice';
  return {
    userId: interaction.user.id,
    textChannelId: interaction.channelId ?? undefined,
    words: options.getString('text')?.trim() ?? '',
    voice: options.getString('voice') ?? undefined,
    language: options.getString('language') ?? undefined,
    speechOptions: givenOptions(options),
    output: givenOutput(options),
    // A direct message has no voice channel to speak in.
    as: isAs ? as : interaction.inGuild() ? 'voice' : 'voice-message',
    isScript: as === 'script' || undefined,
    channelId: options.getChannel('channel')?.id,
    from: 'own',
  };
}

/** It takes more than the server allows: what is spoken counts, such as 'link to' for an address. */
function longTextForm(token: string, { words: written, isScript }: SpeechOrder, { maxCharacters }: ServerRules): Modal {
  return {
    title: text(isScript ? 'script.form' : 'say.form'),
    control: formName(isScript),
    argument: token,
    fields: [
      {
        kind: 'paragraph',
        name: 'text',
        label: text(isScript ? 'script.form-lines' : 'say.text'),
        description: isScript
          ? text('script.form-hint')
          : text('say.form-hint', { limit: Math.min(maxCharacters, LONG_TEXT_CHARACTERS) }),
        minLength: 1,
        maxLength: LONG_TEXT_CHARACTERS,
        value: written || undefined,
      },
    ],
  };
}

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
      const { targetMessage, client, user, channelId } = call.interaction;
      const { id: authorId } = targetMessage.author;
      // The bot's own messages are about voices and credits, which are not worth paying for.
      if (authorId === client.user.id) throw new UserError(text('speak-message.bots-own'));
      const order: SpeechOrder = {
        userId: user.id,
        textChannelId: channelId ?? undefined,
        from: 'message',
        authorId,
        words: '',
        as,
        speechOptions: {},
        output: {},
        privately: as !== 'voice',
      };
      return speak(call, { ...order, words: await messageWords(call, targetMessage, order) });
    },
  };
}

export const speakMessage = messageCommand('Read aloud', 'voice', 'speak-message.description');
export const saveSpeech = messageCommand('Save as audio', 'file', 'save-speech.description');
