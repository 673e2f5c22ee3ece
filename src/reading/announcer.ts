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

/** Collects members who join or leave a voice channel, so that several changes become one announcement. */
function createArrivals(onSettled: (kind: Moved['kind'], moves: readonly Moved[]) => void) {
  const pending = new Map<string, Moved>();
  let timer: NodeJS.Timeout | undefined;

  function settle(): void {
    const moves = [...pending.values()];
    pending.clear();
    // The bot may have moved between voice channels meanwhile, so the changes of each channel are announced separately.
    for (const [first, ...others] of Map.groupBy(moves, ({ kind, channelId }) => `${kind} ${channelId}`).values()) {
      if (first) onSettled(first.kind, [first, ...others]);
    }
  }

  return {
    add(move: Moved): void {
      const before = pending.get(move.userId);
      const isBack = before !== undefined && before.kind !== move.kind && before.channelId === move.channelId;
      if (isBack) pending.delete(move.userId);
      else pending.set(move.userId, move);
      clearTimeout(timer);
      timer = setTimeout(settle, SETTLED_MS).unref();
    },
    close(): void {
      clearTimeout(timer);
      pending.clear();
    },
  };
}

/** If more members than this join or leave together, only their number is announced. */
const MAX_NAMED = 3;
const LANE = 'announcements';

export function createAnnouncer(services: ReadingServices) {
  const { settings, speakers, texts, voices, optOuts, channels, circumstances, log } = services;
  const servers = new Map<string, ReturnType<typeof createArrivals>>();

  function arrivalsOf(guildId: string) {
    const known = servers.get(guildId);
    if (known) return known;
    const made = createArrivals((kind, moves) => {
      announce(guildId, kind, moves).catch((error: unknown) => failed(guildId, error));
    });
    servers.set(guildId, made);
    return made;
  }

  function failed(guildId: string, error: unknown): void {
    const trouble = troubleOf(error, circumstances);
    if (trouble.kind === 'logged')
      log.warn({ err: trouble.error, guildId }, 'Could not announce aloud who joined or left');
    else log.debug({ guildId, why: trouble.why }, 'Joins or leaves not announced for the reason in `why`');
  }

  async function announce(guildId: string, kind: Moved['kind'], moves: readonly Moved[]): Promise<void> {
    const serverRules = await settings.of(guildId);
    if (!serverRules.announceMembers) return;
    const told = await tellable(moves, serverRules);
    const [first] = told;
    const speaker = speakers.find(guildId);
    if (!first || !speaker || speaker.isPaused || speaker.channelId !== first.channelId) return;
    // Members who have just joined need no announcement about themselves.
    const others = channels.listeners(guildId, first.channelId) - (kind === 'joined' ? told.length : 0);
    if (others <= 0) return;
    const locale = serverRules.language ?? first.guildLocale;
    const words = await wordsFor(guildId, kind, told, locale);
    const { guildLocale } = first;
    const chosen = await chosenVoice({ guildId, userId: undefined, rules: serverRules, guildLocale }, services);
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
      if (kind) arrivalsOf(guildId).add({ ...move, kind, channelId: here });
    },
    forget(guildId: string): void {
      servers.get(guildId)?.close();
      servers.delete(guildId);
    },
    close(): void {
      for (const arrivals of servers.values()) arrivals.close();
      servers.clear();
    },
  };
}
