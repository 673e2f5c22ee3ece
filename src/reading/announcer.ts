import { isMuted, type ServerRules } from '../services/servers/admission.ts';
import { BlockedWordError } from '../services/text/blocked-words.ts';
import { enumerate } from '../services/text/readable/times.ts';
import { languageOfTexts } from '../services/voices/preferences.ts';
import { render, text } from '../texts/catalog.ts';
import { chosenVoice, unasked } from './chosen-voice.ts';
import type { ReadingServices } from './decision.ts';
import { troubleOf } from './reading-trouble.ts';
import { shortName } from './spoken-line.ts';

export interface Move {
  readonly guildId: string;
  readonly userId: string;
  readonly name: string;
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly guildLocale: string;
}

interface Moved extends Move {
  readonly kind: 'joined' | 'left';
  readonly channelId: string;
}

/**
 * How long nobody joins or leaves before all changes are announced. Members who are back by then are left out: their
 * connection was probably interrupted.
 */
const SETTLED_MS = 2_000;

/** If more members than this join or leave together, only their number is announced. */
const MAX_NAMED = 3;
const LANE = 'announcements';

export function createAnnouncer(services: ReadingServices) {
  const { settings, speakers, texts, voices, optOuts, channels, circumstances, log } = services;
  /** By server, the latest move of each member that is not announced yet. */
  const servers = new Map<string, { readonly moves: Map<string, Moved>; timer: NodeJS.Timeout | undefined }>();

  /** Collects members who join or leave a voice channel, so that several changes become one announcement. */
  function collect(move: Moved): void {
    const { guildId, userId } = move;
    const server = servers.get(guildId) ?? { moves: new Map<string, Moved>(), timer: undefined };
    const before = server.moves.get(userId);
    const isBack = before !== undefined && before.kind !== move.kind && before.channelId === move.channelId;
    if (isBack) server.moves.delete(userId);
    else server.moves.set(userId, move);
    clearTimeout(server.timer);
    server.timer = setTimeout(settle, SETTLED_MS, guildId, server.moves).unref();
    servers.set(guildId, server);
  }

  function settle(guildId: string, moves: ReadonlyMap<string, Moved>): void {
    servers.delete(guildId);
    // The bot may have moved between voice channels meanwhile, so the changes of each channel are announced separately.
    const together = Map.groupBy(moves.values(), ({ kind, channelId }) => `${kind} ${channelId}`);
    for (const some of together.values()) announce(guildId, some).catch((error: unknown) => failed(guildId, error));
  }

  function failed(guildId: string, error: unknown): void {
    const trouble = troubleOf(error, circumstances);
    if (trouble.kind === 'logged')
      log.warn({ err: trouble.error, guildId }, 'Could not announce aloud who joined or left');
    else log.debug({ guildId, why: trouble.why }, 'Joins or leaves not announced for the reason in `why`');
  }

  async function announce(guildId: string, moves: readonly Moved[]): Promise<void> {
    const serverRules = await settings.of(guildId);
    if (!serverRules.announceMembers) return;
    const told = await tellable(moves, serverRules);
    const [first] = told;
    const speaker = speakers.find(guildId);
    if (!first || !speaker || speaker.isPaused || speaker.channelId !== first.channelId) return;
    // Members who have just joined need no announcement about themselves.
    const others = channels.listeners(guildId, first.channelId) - (first.kind === 'joined' ? told.length : 0);
    if (others <= 0) return;
    const locale = serverRules.language ?? first.guildLocale;
    const { kind, guildLocale } = first;
    const words = await wordsFor(guildId, kind, told, locale);
    const chosen = await chosenVoice({ guildId, userId: undefined, guildLocale }, services);
    const request = await chosen.requestFor(words, languageOfTexts(locale));
    const place = channels.placeIn(guildId, first.channelId);
    if (!place || 'key' in place || speaker.channelId !== first.channelId) return;
    // A member may have opted out while the announcement was prepared: opting out ends only queued texts.
    if ((await tellable(told, serverRules)).length < told.length) return;
    const authorId = told.length === 1 ? first.userId : undefined;
    const said = unasked('announcement', LANE, { userId: first.userId, authorId, request, isBleeped: false });
    const { delivery } = speaker.submit({ ...said, place });
    delivery.catch((error: unknown) => failed(guildId, error));
  }

  async function tellable(moves: readonly Moved[], rules: ServerRules): Promise<readonly Moved[]> {
    const kept = moves.map(async (move) =>
      isMuted(rules, move.userId) || (await optOuts.has(move.userId)) ? [] : [move],
    );
    return (await Promise.all(kept)).flat();
  }

  async function wordsFor(guildId: string, kind: Moved['kind'], moves: readonly Moved[], locale: string) {
    const count = moves.length;
    const many = render(text(`reading.many-${kind}`, { count }), locale);
    if (count > MAX_NAMED) return many;
    const said = moves.map(async ({ userId, name }) =>
      shortName((await voices.spokenNames.of(userId, guildId)) ?? name, locale),
    );
    const names = enumerate(await Promise.all(said), locale);
    try {
      return (await texts.ofReadable(render(text(`reading.${kind}`, { names }), locale), { guildId, locale })).words;
    } catch (error) {
      if (error instanceof BlockedWordError) return many;
      throw error;
    }
  }

  return {
    moved(move: Move): void {
      const { guildId, from, to } = move;
      const here = speakers.find(guildId)?.channelId;
      if (here === undefined || from === to) return;
      const kind = to === here ? 'joined' : from === here ? 'left' : undefined;
      if (kind) collect({ ...move, kind, channelId: here });
    },
    /** Call when the bot has left voice: what changes while it is away is unknown. */
    left(guildId: string): void {
      clearTimeout(servers.get(guildId)?.timer);
      servers.delete(guildId);
    },
    close(): void {
      for (const { timer } of servers.values()) clearTimeout(timer);
    },
  };
}
