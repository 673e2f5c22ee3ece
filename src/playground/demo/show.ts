import type { Heard } from '../voice/types.ts';
import type { VisibleMessage } from '../world-types.ts';

export interface HeardReport {
  /** Seconds of speech, silence at either end left out. */
  readonly seconds: number;
  /** Packets a listener could hear. */
  readonly packets: number;
  /** From the interaction being sent to the first audible packet; null when nothing was heard. */
  readonly firstAudioMs: number | null;
  readonly endToEndEncrypted: boolean;
  /** The WAV file, null when nothing was heard. */
  readonly file: string | null;
}

export function reportHeard(heard: Heard, sentAtMs: number, file: string | null): HeardReport {
  return {
    seconds: Math.round(heard.seconds * 1000) / 1000,
    packets: heard.packets.filter((packet) => packet.audible).length,
    firstAudioMs: heard.firstAudibleAtMs === undefined ? null : Math.round(heard.firstAudibleAtMs - sentAtMs),
    endToEndEncrypted: heard.endToEndEncrypted,
    file,
  };
}

/** What a listener in the channel would tell about it, in one line. */
export function describeHeard(report: HeardReport, listener: string, channel: string): string {
  if (report.firstAudioMs === null) return `${listener}, listening in ${channel}, heard nothing.`;
  const encryption = report.endToEndEncrypted ? 'end-to-end encrypted' : 'NOT end-to-end encrypted';
  return `${listener}, listening in ${channel}, heard ${report.seconds.toFixed(1)} s of speech in ${report.packets} packets, ${encryption}, the first ${report.firstAudioMs} ms after the command.`;
}

function indent(text: string, by: string): string {
  return text.replaceAll('\n', `\n${by}`);
}

/** Discord's markup for small and bold text, which a terminal has no use for. */
function plain(text: string): string {
  return text.replaceAll(/^-# /gm, '').replaceAll('**', '');
}

/** A message as it stands in the channel: who, whether only you see it, its words, files and buttons. */
export function describeMessage(message: VisibleMessage): string {
  const lines = [message.text === '' ? '(no text)' : plain(message.text)];
  for (const file of message.files) lines.push(`[file: ${file.name}, ${file.bytes.length} bytes]`);
  const note = message.ephemeral ? ' (only you can see this)' : '';
  return `  ${message.author}${note}\n    ${indent(lines.join('\n'), '    ')}`;
}
