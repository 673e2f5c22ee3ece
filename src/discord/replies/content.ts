import type { InteractionReplyOptions } from 'discord.js';
import type { CommandIds, Text } from '../../texts/catalog.ts';
import { DISCORD_LIMITS, drawPanel, drawRows, type PanelPart, type Row, wordsOf } from './layout.ts';

/** Who sees a reply. 'caller': only who used the command or button. 'message': everyone, as an edit of the button's message. */
export type Visibility = 'everyone' | 'caller' | 'message';

export interface ReplyFile {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** A file's alternative text for screen readers. */
  readonly description?: string;
}

/** Audio that Discord shows as a voice message. A voice message cannot hold text or buttons. */
export interface VoiceMessage {
  readonly bytes: Uint8Array;
  readonly durationMs: number;
  /** The waveform of a voice message: up to 256 loudness values, 0 to 255. */
  readonly waveform: Uint8Array;
}

export interface Content {
  readonly lines: readonly Text[];
  readonly rows?: readonly Row[];
  readonly files?: readonly ReplyFile[];
  /** A panel (Discord's "Components V2") replaces `lines` and `rows`. A message that is a panel stays one. */
  readonly panel?: readonly PanelPart[];
}

/** A reply in one language, as discord.js sends it. */
export interface AnswerContent {
  readonly form: 'words' | 'panel' | 'voice-message';
  readonly content: string;
  readonly components: NonNullable<InteractionReplyOptions['components']>;
  readonly files: NonNullable<InteractionReplyOptions['files']>;
}

/** With `ids`, the ids of the registered commands, members can click the commands in the text. */
export function drawContent(
  { lines, rows = [], files = [], panel }: Content,
  locale: string,
  ids: CommandIds,
): AnswerContent {
  const attached = files.map(({ name, bytes, description }) => ({
    name,
    attachment: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
    description,
  }));
  if (panel) return { form: 'panel', content: '', components: drawPanel(panel, locale, ids), files: attached };
  const content = fitting(wordsOf(lines, locale, ids));
  return { form: 'words', content, components: drawRows(rows, locale), files: attached };
}

/** Cuts a text to Discord's limit, at the end of a line if possible: Discord would show half a mention as raw text. */
function fitting(words: string): string {
  if (words.length <= DISCORD_LIMITS.messageCharacters) return words;
  const end = words.lastIndexOf('\n', DISCORD_LIMITS.messageCharacters - 2);
  return end > 0
    ? `${words.slice(0, end)}\n…`
    : `${words.slice(0, DISCORD_LIMITS.messageCharacters - 1).toWellFormed()}…`;
}

const VOICE_MESSAGE_NAME = 'voice-message.ogg';

/** Draws a voice message in Discord's format: https://discord.com/developers/docs/resources/message#voice-messages */
export function drawVoiceMessage({ bytes, durationMs, waveform }: VoiceMessage): AnswerContent {
  const file = {
    name: VOICE_MESSAGE_NAME,
    attachment: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
    duration: durationMs / 1000,
    waveform: Buffer.from(waveform).toString('base64'),
  };
  return { form: 'voice-message', content: '', components: [], files: [file] };
}

/** A voice message as an attached file, for replies in which Discord accepts no voice message. */
export const voiceFile = ({ bytes }: VoiceMessage): ReplyFile => ({ name: VOICE_MESSAGE_NAME, bytes });
