import { ChannelType, type Client, MessageFlags, PermissionFlagsBits, type SendableChannels } from 'discord.js';
import type { Logger } from 'pino';
import { failureFacts } from '../../errors/explain.ts';
import { causeOf, DeliveryError, type SpokenCause } from '../../errors/user-errors.ts';
import type { Posted } from '../../reading/decision.ts';
import type { ReadingNotes } from '../../reading/reader.ts';
import type { Kept as KeptText } from '../../services/playback/unspoken.ts';
import { type Delivery, StoppedByMember } from '../../services/queue/queue-item.ts';
import type { ServerRulesBook } from '../../services/servers/admission.ts';
import type { SpeechFacts } from '../../services/synthesis/synthesis.ts';
import { DeadlineError } from '../../services/time/timers.ts';
import type { VoiceCatalog } from '../../services/voices/voice-catalog.ts';
import type { SpeechRequest, Voice } from '../../speech/interface/schemas.ts';
import { firstItems, render, type Text, type TextList, text } from '../../texts/catalog.ts';
import { mayWrite, timeoutOf } from '../channels/permissions.ts';
import { post } from '../channels/post.ts';
import { DISCORD_LIMITS, type Labeled, quote, voiceName } from '../replies/layout.ts';

/** An utterance's entry before it is spoken. The moderation log never contains the text itself. */
export interface NoteStart {
  readonly guildId: string;
  readonly userId: string;
  readonly kind: 'command' | 'message' | 'auto-read' | 'file' | 'voice-message' | 'replay';
  /** The length of the noted text in UTF-16 units; undefined if the text is no longer known. */
  readonly characters: number | undefined;
  readonly voices?: readonly Labeled[];
  /** The voice channel of an utterance; of a file or an unspoken text, the channel of the request or message. */
  readonly channelId: string | null;
  readonly isBleeped?: boolean;
}

/** Members heard some of a text that was 'stopped' or 'failed', and nothing of one 'removed' or 'unspoken'. */
type Outcome =
  | { readonly outcome: 'spoken' | 'saved' | 'blocked' }
  /** The member who stopped or removed the text; undefined if its requester did. */
  | { readonly outcome: 'stopped' | 'removed'; readonly by: string | undefined }
  /** Undefined if the reason is unknown. */
  | { readonly outcome: 'failed' | 'unspoken'; readonly cause: SpokenCause | undefined };

/** `credits` is undefined if the cost is unknown. */
type Ending = Outcome & { readonly credits: number | undefined };

export type SpokenNote = NoteStart & Ending;

interface ModerationLogOptions {
  readonly client: Client;
  readonly rules: ServerRulesBook;
  /** True if speech is free: the moderators' notes then show no credits. */
  readonly localVoice: boolean;
  readonly log: Logger;
}

/** Notes for moderators are sent in batches, because Discord allows 5 messages in 5 s in a channel. */
const INTERVAL_MS = 3_000;
/** The maximum of waiting moderation notes per server; further notes are only counted. */
const MAX_WAITING = 200;
const MAX_VOICES = 5;
/** The speech service chooses voice names. Names of this length fit a message even if each character is escaped. */
const MAX_NAME = 40;

type Kept = SpokenNote & { readonly atMs: number };

interface Page {
  waiting: Kept[];
  left: number;
  timer: NodeJS.Timeout | undefined;
}

/** Posts a note about each utterance into the channel that a server's admins chose for moderators. */
export function createModerationLog({ client, rules, localVoice, log }: ModerationLogOptions) {
  const pages = new Map<string, Page>();
  /** Moderators' channels whose problem was logged, so that it is not logged for each note. */
  const reported = new Set<string>();
  const underWay = new Set<Promise<void>>();
  const free = localVoice && { credits: undefined };
  let isClosed = false;

  function channelOf(guildId: string): SendableChannels | Text | undefined {
    const { moderationChannel } = rules.known(guildId);
    if (moderationChannel === undefined) return undefined;
    const guild = client.guilds.cache.get(guildId);
    const me = guild?.members.me;
    const channel = guild?.channels.cache.get(moderationChannel);
    const name = `<#${moderationChannel}>`;
    // Imported settings may name any channel: only this server's own channels are accepted.
    if (!me || !channel?.isSendable()) return text('moderation.no-channel', { channel: name });
    return mayWrite(channel, me) ? channel : (timeoutOf(me) ?? text('moderation.not-allowed', { channel: name }));
  }

  function warnOnce(guildId: string, problem: unknown): void {
    const { moderationChannel: channelId } = rules.known(guildId);
    const key = `${guildId} ${channelId}`;
    if (reported.has(key)) return;
    reported.add(key);
    const what = { guildId, channelId, [problem instanceof Error ? 'err' : 'problem']: problem };
    const advice = problem instanceof DeadlineError ? 'Discord does not answer' : 'check its channel’s permissions';
    log.warn(what, `Moderation log entries lost: ${advice}`);
  }

  function schedule(guildId: string, page: Page): void {
    page.timer ??= setTimeout(() => write(guildId, page), INTERVAL_MS).unref();
  }

  /** Sends as many waiting moderation notes as fit into one message; the next message takes the rest. */
  function write(guildId: string, page: Page): void {
    clearTimeout(page.timer);
    page.timer = undefined;
    const channel = channelOf(guildId);
    if (channel === undefined || 'key' in channel) {
      if (channel) warnOnce(guildId, render(channel));
      pages.delete(guildId);
      return;
    }
    const locale = rules.known(guildId).language ?? client.guilds.cache.get(guildId)?.preferredLocale ?? '';
    const message = { content: linesOf(page, locale), flags: [MessageFlags.SuppressNotifications] } as const;
    const sending = post(channel, message, 'Writing the moderation log')
      .then(
        () => void reported.delete(`${guildId} ${channel.id}`),
        (error: unknown) => warnOnce(guildId, error),
      )
      .finally(() => underWay.delete(sending));
    underWay.add(sending);
    if (page.waiting.length === 0) pages.delete(guildId);
    else if (isClosed) write(guildId, page);
    else schedule(guildId, page);
  }

  return {
    note(note: SpokenNote): void {
      if (rules.known(note.guildId).moderationChannel === undefined || isClosed) return;
      const page = pages.get(note.guildId) ?? { waiting: [], left: 0, timer: undefined };
      pages.set(note.guildId, page);
      if (page.waiting.length < MAX_WAITING) page.waiting.push({ ...note, ...free, atMs: Date.now() });
      else page.left += 1;
      schedule(note.guildId, page);
    },
    /** The problem of the moderators' channel: the bot cannot write there, or everyone in the server can see it. */
    problem(guildId: string): Text | undefined {
      const channel = channelOf(guildId);
      if (!channel || 'key' in channel) return channel;
      if (channel.isDMBased() || channel.type === ChannelType.PrivateThread) return undefined;
      const isSeenByAll = channel.permissionsFor(channel.guild.roles.everyone)?.has(PermissionFlagsBits.ViewChannel);
      return isSeenByAll ? text('moderation.seen-by-all', { channel: `<#${channel.id}>` }) : undefined;
    },
    /** Posts the remaining moderation notes. Idempotent. */
    async close(): Promise<void> {
      isClosed = true;
      for (const [guildId, page] of pages) write(guildId, page);
      await Promise.all(underWay);
    },
  };
}

export type ModerationLog = ReturnType<typeof createModerationLog>;

function linesOf(page: Page, locale: string): string {
  const lines: string[] = [];
  let length = 0;
  for (const note of page.waiting) {
    const line = render(lineOf(note), locale);
    if (length + line.length + 1 > DISCORD_LIMITS.messageCharacters) break;
    lines.push(line);
    length += line.length + 1;
  }
  page.waiting = page.waiting.slice(Math.max(1, lines.length));
  if (page.waiting.length === 0 && page.left > 0) {
    const more = render(text('lines.more', { count: page.left }), locale);
    if (length + more.length <= DISCORD_LIMITS.messageCharacters) lines.push(more);
    page.left = 0;
  }
  return lines.join('\n');
}

function lineOf(note: Kept): Text {
  const { atMs, userId, kind, characters, voices = [], channelId, isBleeped, outcome, credits } = note;
  const by = 'by' in note ? note.by : undefined;
  const cause = 'cause' in note ? note.cause : undefined;
  const isFile = kind === 'file' || kind === 'voice-message';
  return text('moderation.line', {
    when: `<t:${Math.floor(atMs / 1000)}:T>`,
    member: `<@${userId}>`,
    kind: text(`moderation.kind.${kind}`),
    characters: characters === undefined ? '' : item(text('counted.characters', { count: characters })),
    voices: voices.length > 0 ? item(firstItems(voices.map(shortName), MAX_VOICES)) : '',
    where: channelId === null ? '' : text('moderation.where', { channel: `<#${channelId}>` }),
    outcome: text(`moderation.outcome.${isFile && outcome === 'unspoken' ? 'unmade' : outcome}`),
    by: by === undefined ? '' : text('moderation.by', { member: `<@${by}>` }),
    cause: cause === undefined ? '' : text('moderation.cause', { cause: text(`moderation.cause.${cause}`) }),
    bleeped: isBleeped ? text('moderation.bleeped') : '',
    credits: credits === undefined ? '' : text('moderation.credits', { credits }),
  });
}

const item = (words: Text | TextList) => text('moderation.item', { item: words });

const shortName = (voice: Labeled) => voiceName(voice, (words) => quote(words, MAX_NAME));

/** The audio of a text that became a file or voice message. */
interface Saved {
  readonly facts: SpeechFacts;
}

type Over = Ending & { readonly speakers: SpeechFacts['speakers']; readonly channelId?: string };

interface NoteServices {
  readonly moderation: ModerationLog;
  readonly voices: VoiceCatalog;
}

/** A text that survives a restart is noted by the next process. `creditsBefore` is the cost until the restart. */
export function noteWhenOver(
  { moderation, voices }: NoteServices,
  start: NoteStart | undefined,
  over: Promise<Delivery | Saved>,
  kept?: KeptText,
  creditsBefore = 0,
): void {
  const note = ({ credits, speakers, ...end }: Over) => {
    if (!start) return;
    const heard = start.voices && heardVoices(speakers, voices.known()?.voices);
    const all = credits === undefined ? undefined : credits + creditsBefore;
    moderation.note({ ...start, ...end, voices: heard ?? start.voices, credits: all });
  };
  over.then(noteOf).then(note, (error: unknown) => {
    if (!kept?.comesBack) note(noteOfFailed(error));
  });
}

/** Undefined if no other voice replaced a requested one, or if the catalog lacks a voice that members heard. */
function heardVoices(speakers: SpeechFacts['speakers'], known: readonly Voice[] = []): readonly Voice[] | undefined {
  const heard = speakers?.map((one) => known.find(({ id }) => id === one.heard));
  return heard?.every((voice) => voice !== undefined) ? [...new Set(heard)] : undefined;
}

function noteOfFailed(error: unknown): Over {
  const root = causeOf(error);
  const { cost, wasHeard } =
    error instanceof DeliveryError ? error : new DeliveryError(undefined, { kind: 'unknown' }, error);
  const credits = cost.kind === 'used' ? cost.credits : cost.kind === 'none' ? 0 : undefined;
  const facts = { credits, speakers: undefined };
  if (root instanceof StoppedByMember) return { ...facts, outcome: 'removed', by: root.byUserId };
  return { ...facts, outcome: wasHeard ? 'failed' : 'unspoken', cause: failureFacts(root).cause };
}

function noteOf(over: Delivery | Saved): Over {
  const { creditsUsed, mayBeMore, speakers } = 'facts' in over ? over.facts : over.speech;
  // The cost of an utterance is left out if it is unknown, because zero would be wrong.
  const facts = { credits: mayBeMore && creditsUsed === 0 ? undefined : creditsUsed, speakers };
  if ('facts' in over) return { ...facts, outcome: 'saved' };
  const { outcome, stoppedBy: by, channelId } = over;
  if (outcome === 'finished') return { ...facts, channelId, outcome: 'spoken' };
  return { ...facts, channelId, outcome: 'stopped', by };
}

/** The voices of a speech request that the catalog lists; undefined if the catalog is not loaded. */
export function knownVoices(request: SpeechRequest, voices: VoiceCatalog): readonly Voice[] | undefined {
  const ids = new Set((request.passages ?? [request]).map(({ voice }) => voice.voiceId));
  return voices.known()?.voices.filter(({ id }) => ids.has(id));
}

export function notesOfReading({ moderation, voices }: NoteServices): ReadingNotes {
  const startOf = ({ guildId, channelId, author, content }: Posted) =>
    ({ guildId, channelId, userId: author.id, kind: 'auto-read', characters: content.length }) as const;
  return {
    onRead(message, { item, delivery }, kept) {
      const { request, isBleeped } = item().requested;
      const spokenBy = knownVoices(request, voices);
      const start = { ...startOf(message), characters: request.input.length, voices: spokenBy, isBleeped };
      noteWhenOver({ moderation, voices }, start, delivery, kept);
    },
    onBlocked: (message) => moderation.note({ ...startOf(message), outcome: 'blocked', credits: 0 }),
  };
}
