import type { ModerationLog } from '../../discord/moderation/moderation-log.ts';
import type { NoteStart } from '../../discord/moderation/moderation-notes.ts';
import type { QueuedItem } from '../../services/queue/queued-item.ts';
import { BlockedWordError } from '../../services/text/spoken-text.ts';
import type { Voice } from '../../speech/interface/schemas.ts';
import type { SpeechRequest } from '../../speech/request.ts';
import type { Services } from '../framework/command.ts';
import type { ResolvedOrder, SpeakCall } from './speak-call.ts';

/** For the moderators of the server it is asked for in; undefined elsewhere. */
export function noteOf(
  { interaction }: Pick<SpeakCall, 'interaction'>,
  {
    order,
    request,
    voice,
    voices = voice && [voice],
    isBleeped = false,
  }: Pick<ResolvedOrder, 'order' | 'voices' | 'isBleeped'> & {
    readonly request: Pick<SpeechRequest, 'input'>;
    /** Absent for a text that was refused before one was chosen. */
    readonly voice?: Voice;
  },
): NoteStart | undefined {
  if (!interaction.inCachedGuild()) return undefined;
  return {
    guildId: interaction.guildId,
    userId: interaction.user.id,
    kind: order.as !== 'voice' ? order.as : order.from === 'message' ? 'message' : 'command',
    characters: request.input.length,
    voices,
    channelId: interaction.channelId ?? undefined,
    isBleeped,
  };
}

/**
 * What was spoken before, once more: a word in it may have been blocked since. The start of its note is told to the
 * moderators then. Rejects with a BlockedWordError.
 */
export async function mustBeUnblocked(
  { texts, moderation }: Services,
  start: NoteStart,
  { request }: QueuedItem,
): Promise<void> {
  const blocked = await texts.blockedInRequest(request, start.guildId);
  if (!blocked) return;
  noteBlocked(moderation, start, blocked);
  throw blocked;
}

/** A text that was refused for a blocked word is told to the moderators too; anything else is for its writer alone. */
export function noteBlocked(log: ModerationLog, start: NoteStart | undefined, error: unknown): void {
  if (start && error instanceof BlockedWordError) log.note({ ...start, outcome: 'blocked', credits: 0 });
}
