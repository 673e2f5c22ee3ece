import type { Text } from '../../texts/catalog.ts';
import type { AnswerContent } from './answer.ts';
import { DISCORD_LIMITS, drawPanel, drawRows, type PanelPart, type Row, wordsOf } from './layout.ts';

export interface ReplyFile {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** Read by screen readers. */
  readonly description?: string;
}

/** Audio that Discord shows as a voice message. Such a message can hold nothing else. */
export interface VoiceMessage {
  /** Ogg Opus. */
  readonly bytes: Uint8Array;
  readonly durationMs: number;
  /** Up to 256 loudness values, 0 to 255. */
  readonly waveform: Uint8Array;
}

export interface Content {
  /** The texts, each on a line. */
  readonly lines: readonly Text[];
  readonly rows?: readonly Row[];
  readonly files?: readonly ReplyFile[];
  /** Instead of lines and rows: a panel. Once a message is a panel, it stays one. */
  readonly panel?: readonly PanelPart[];
}

export function drawContent({ lines, rows = [], files = [], panel }: Content, locale: string): AnswerContent {
  const attached = files.map(({ name, bytes, description }) => ({
    name,
    attachment: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
    description,
  }));
  if (panel) return { form: 'panel', content: '', components: drawPanel(panel, locale), files: attached };
  const content = fitting(wordsOf(lines, locale));
  return { form: 'words', content, components: drawRows(rows, locale), files: attached };
}

/** Whole lines as far as they fit: half a mention or half a word of markup would be shown raw. */
function fitting(words: string): string {
  if (words.length <= DISCORD_LIMITS.messageCharacters) return words;
  const end = words.lastIndexOf('\n', DISCORD_LIMITS.messageCharacters - 2);
  return end > 0
    ? `${words.slice(0, end)}\n…`
    : `${words.slice(0, DISCORD_LIMITS.messageCharacters - 1).toWellFormed()}…`;
}

const VOICE_MESSAGE_NAME = 'voice-message.ogg';

/** https://discord.com/developers/docs/resources/message#voice-messages */
export function drawVoiceMessage({ bytes, durationMs, waveform }: VoiceMessage): AnswerContent {
  const attachment = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return {
    form: 'voice-message',
    content: '',
    components: [],
    files: [
      {
        name: VOICE_MESSAGE_NAME,
        attachment,
        duration: durationMs / 1000,
        waveform: Buffer.from(waveform).toString('base64'),
      },
    ],
  };
}

/** The same audio for places where Discord takes files only. */
export const voiceFile = ({ bytes }: VoiceMessage): ReplyFile => ({ name: VOICE_MESSAGE_NAME, bytes });
