import type { AnswerContent } from '../discord/answer.ts';
import type { Content, ReplyFile, VoiceMessage } from './command.ts';
import { drawPanel, drawRows, wordsOf } from './layout.ts';

/** Discord's limit. */
const MESSAGE_CHARACTERS = 2000;

/** A reply in its reader's language, as Discord takes it. */
export function drawContent({ lines, rows = [], files, panel }: Content, locale: string): AnswerContent {
  const attached = files && {
    files: files.map(({ name, bytes, description }) => ({
      name,
      attachment: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
      ...(description !== undefined && { description }),
    })),
  };
  if (panel) return { panel: true, components: drawPanel(panel, locale), ...attached };
  const words = wordsOf(lines, locale);
  return { content: fitting(words), components: drawRows(rows, locale), ...attached };
}

/** Whole lines as far as they fit: half a mention or half a word of markup would be shown raw. */
function fitting(words: string): string {
  if (words.length <= MESSAGE_CHARACTERS) return words;
  const end = words.lastIndexOf('\n', MESSAGE_CHARACTERS - 2);
  return end > 0 ? `${words.slice(0, end)}\n…` : `${words.slice(0, MESSAGE_CHARACTERS - 1).toWellFormed()}…`;
}

const VOICE_MESSAGE_NAME = 'voice-message.ogg';

/** https://discord.com/developers/docs/resources/message#voice-messages */
export function drawVoiceMessage({ bytes, durationMs, waveform }: VoiceMessage): AnswerContent {
  const attachment = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return {
    voiceMessage: true,
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

/** The same sound where Discord takes it as a file only. */
export const voiceFile = ({ bytes }: VoiceMessage): ReplyFile => ({ name: VOICE_MESSAGE_NAME, bytes });
