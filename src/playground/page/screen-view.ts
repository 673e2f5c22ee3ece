import type { Person, VisibleMessage, World } from '../world/world.ts';
import { offeredCommands } from './commands.ts';

/** As many as a screen shows without scrolling far. */
const SHOWN_MESSAGES = 60;

/** What a visitor is told of members besides what Discord knows. */
export type MemberNotes = Readonly<Record<string, 'muted'>>;

/** The instant of a `performance.now()`, in milliseconds since 1970. */
export const epochMs = (atMs: number): number => Math.round(performance.timeOrigin + atMs);

interface FrameSource {
  readonly world: World;
  readonly notes: MemberNotes;
  readonly readsMessages: boolean;
}

/** The frame of the client around the messages: server, channels, members, commands. */
export function frameView({ world, notes, readsMessages }: FrameSource, person: Person, place: string) {
  return {
    server: world.name,
    me: person.id,
    place,
    channels: world.channels.map(({ id, name, kind, userLimit }) => ({ id, name, kind, limit: userLimit })),
    members: world.members,
    roles: Object.fromEntries(world.roles),
    notes,
    readsMessages,
    botOnline: world.bot.online,
    commands: offeredCommands(world, person, place),
  };
}

export function messageOnPage(message: VisibleMessage) {
  const { messageId, author, authorId, command, content, embeds, components, ephemeral, thinking, edited } = message;
  return {
    id: messageId,
    author,
    authorId,
    command,
    content,
    embeds,
    components,
    ephemeral,
    thinking,
    edited,
    voice: message.voiceMessage,
    replyTo: message.repliesTo,
    atMs: epochMs(message.createdAtMs),
    files: message.files.map(({ name, contentType, size, durationSeconds, waveform }) => ({
      name,
      type: contentType,
      size,
      seconds: durationSeconds,
      waveform,
    })),
  };
}

export const messagesAt = (person: Person, place: string): readonly VisibleMessage[] =>
  person.sees(place).slice(-SHOWN_MESSAGES);

/** The bot's voice connection as the voice server sees it; undefined where it has none. */
export function voiceView(world: World) {
  const client = world.voiceServer.clients().find(({ guildId }) => guildId === world.guildId);
  if (!client) return undefined;
  const { channelId, mode, inGroup, packets, resumes } = client;
  return { channelId, cipher: mode, endToEnd: inGroup, packets, resumes };
}
