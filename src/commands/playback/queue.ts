import type { BaseInteraction } from 'discord.js';
import { button, clockTime, DISCORD_LIMITS, quote } from '../../discord/replies/layout.ts';
import { UserError } from '../../errors/user-errors.ts';
import type { GuildSpeaker } from '../../services/playback/guild-speaker.ts';
import { isOver, type QueueItem, underWay } from '../../services/queue/queue-item.ts';
import { render, type Text, text } from '../../texts/catalog.ts';
import { pageAsked, pageLines, pageOf, pageRows } from '../framework/buttons.ts';
import { firstOfOthers, isModerator, mayEnd, mayRead } from '../framework/checks.ts';
import { type SpeakCall, serverCall, serverCommand, serverControl } from '../framework/command.ts';
import { autocompleteOption } from '../framework/options.ts';

const notYours = ({ order: { userId } }: QueueItem): UserError =>
  new UserError(text('skip.not-yours', { member: `<@${userId}>` }));

/** Ten texts fit into one message, however long the names are. */
const PAGE = 10;

export const queue = serverCommand({
  name: 'queue',
  controls: [
    serverControl({
      name: 'queue',
      replyTo: 'message',
      begin: (call) => async () => show(call, pageAsked(call.argument)),
    }),
  ],
  begin: (call) => async () => show(call, 0),
});

function show({ interaction, services }: SpeakCall<'cached'>, asked: number) {
  const view = services.speakers.find(interaction.guildId)?.queue();
  if (!view?.current) return { lines: [text('queue.empty')] };
  const page = pageOf(view.waiting, PAGE, asked);
  const turning = pageRows('queue', page);
  return {
    lines: [
      text(view.isPaused ? 'queue.paused' : 'queue.now', whatOf(view.current, interaction)),
      ...(view.waiting.length === 0 ? [text('queue.nothing-waits')] : []),
      ...page.shown.map((item) => waitingLine(item, interaction)),
      ...pageLines(page),
    ],
    rows: turning.length > 0 ? turning : [[button('queue', text('page.refresh'), '0')]],
  };
}

const whatOf = (item: QueueItem, interaction: BaseInteraction<'cached'>) => ({
  member: `<@${item.order.userId}>`,
  words: shownTo(interaction, item, (words) => quote(words, 60)),
});

function shownTo(interaction: BaseInteraction<'cached'>, item: QueueItem, quoted = (words: string) => words): Text {
  if (!mayRead(interaction, item)) return text('queue.unseen');
  return text('quoted', { words: quoted(item.requested.request.input) });
}

function waitingLine(item: QueueItem, interaction: BaseInteraction<'cached'>): Text {
  const { position, waitMs } = item;
  const wait = waitMs === undefined ? 'unknown' : clockTime(waitMs);
  return text('queue.waiting', { position, ...whatOf(item, interaction), wait });
}

export const skip = serverCommand({
  name: 'skip',
  options: [autocompleteOption('position', 'skip.position')],
  replyTo: 'everyone',
  /** Suggestions send ids, because positions change when the queue moves up. */
  async complete(anywhere) {
    const { interaction, services } = serverCall(anywhere);
    const typed = interaction.options.getFocused().trim().toLocaleLowerCase();
    const waiting = services.speakers.find(interaction.guildId)?.queue().waiting ?? [];
    return waiting
      .filter(
        (item) => mayEnd(interaction, item) && (!/^\d{1,9}$/.test(typed) || String(item.position).startsWith(typed)),
      )
      .map((item) => ({ name: choiceName(item, item.position, interaction), value: item.id }))
      .filter(({ name }) => name.toLocaleLowerCase().includes(typed));
  },
  controls: [
    serverControl({
      name: 'skip',
      begin({ interaction, services, argument }) {
        const speaker = services.speakers.find(interaction.guildId);
        const item = speaker?.find(argument);
        if (!speaker || !item || isOver(item.state)) throw new UserError(text('refused.over'));
        return async () => skipItem(speaker, item, interaction);
      },
    }),
  ],
  begin({ interaction, services }) {
    const speaker = services.speakers.find(interaction.guildId);
    const position = interaction.options.getString('position')?.trim();
    const item = speaker && (position === undefined ? speaker.queue().current : itemAt(speaker, position, interaction));
    if (!speaker || !item) throw new UserError(text(position === undefined ? 'stop.nothing' : 'skip.gone'));
    const reply = skipItem(speaker, item, interaction);
    return async () => reply;
  },
});

/** Discord's client sends a suggestion's label instead of the id if the member switches channels before sending. */
function itemAt(
  speaker: GuildSpeaker,
  position: string,
  interaction: BaseInteraction<'cached'>,
): QueueItem | undefined {
  const { waiting } = speaker.queue();
  if (/^\d{1,9}$/.test(position)) return waiting[Number(position) - 1];
  const item = speaker.find(position);
  if (item) return isOver(item.state) ? undefined : item;
  const shownAt = Number.parseInt(position, 10);
  const shown = waiting.filter((one) => choiceName(one, shownAt, interaction) === position);
  return shown.find((one) => one.position === shownAt) ?? shown[0];
}

function choiceName(item: QueueItem, position: number, interaction: BaseInteraction<'cached'>): string {
  const name = `${position}. ${render(shownTo(interaction, item), interaction.locale)}`.replaceAll(/\s+/g, ' ');
  return name.slice(0, DISCORD_LIMITS.choiceCharacters).toWellFormed().trim();
}

function skipItem(speaker: GuildSpeaker, item: QueueItem, interaction: BaseInteraction<'cached'>) {
  if (!mayEnd(interaction, item)) throw notYours(item);
  const { id: userId } = interaction.user;
  const isWaiting = item.state === 'waiting';
  if (!speaker.skip(item.id, userId)) throw new UserError(text('refused.over'));
  // Some readers may not have access to the voice channel of another member's text.
  if (item.order.userId !== userId) {
    const member = `<@${item.order.userId}>`;
    return { lines: [text(isWaiting ? 'skip.removed-of-other' : 'skip.skipped-of-other', { member })] };
  }
  const words = { text: quote(item.requested.request.input, 80), by: 'requester' };
  return { lines: [text(isWaiting ? 'play.removed' : 'play.skipped', words)] };
}

export const stop = serverCommand({
  name: 'stop',
  replyTo: 'everyone',
  controls: [serverControl({ name: 'stop', replyTo: 'everyone', begin: stopNow })],
  begin: stopNow,
});

/**
 * Ends the texts that the member may end. Requested texts that are not queued yet are dropped, too: all of them for a
 * moderator, otherwise the member's own.
 */
function stopNow({ interaction, services, askedAtMs }: SpeakCall<'cached'>) {
  const speaker = services.speakers.of(interaction.guildId);
  const { id: userId } = interaction.user;
  speaker.stopWhatComes({ askedAtMs, byUserId: userId, isOfAll: isModerator(interaction) });
  const view = speaker.queue();
  const items = underWay(view);
  if (items.length === 0) throw new UserError(text('stop.nothing'));
  const other = firstOfOthers(interaction, view);
  if (!other) {
    const stopped = text('stop.stopped', { waiting: speaker.stop(userId) });
    return async () => ({ lines: [stopped] });
  }
  const own = items.filter((item) => mayEnd(interaction, item));
  if (own.length === 0) throw new UserError(text('stop.not-yours', { member: `<@${other.order.userId}>` }));
  // The current text is skipped after the waiting texts: otherwise the member's next text would begin meanwhile.
  for (const { id } of own.toReversed()) speaker.skip(id, userId, 'stop');
  return async () => ({ lines: [text('stop.own', { count: own.length })] });
}

export const pause = serverCommand({
  name: 'pause',
  together: true,
  replyTo: 'everyone',
  begin({ interaction, services }) {
    const speaker = services.speakers.find(interaction.guildId);
    const current = speaker?.queue().current;
    if (!speaker || !current) throw new UserError(text('stop.nothing'));
    if (!mayEnd(interaction, current)) throw notYours(current);
    const outcome = speaker.pause();
    if (outcome === 'nothing-to-pause') throw new UserError(text('stop.nothing'));
    if (outcome === 'already-paused') throw new UserError(text('pause.already'));
    return async () => ({ lines: [text('pause.paused')] });
  },
});

export const resume = serverCommand({
  name: 'resume',
  together: true,
  replyTo: 'everyone',
  begin({ interaction, services }) {
    const speaker = services.speakers.find(interaction.guildId);
    if (!speaker?.isPaused) throw new UserError(text('resume.nothing'));
    const { current } = speaker.queue();
    // A member who may not end the current text may not resume it: otherwise anyone could undo a moderator's pause.
    if (current && !mayEnd(interaction, current)) throw notYours(current);
    speaker.resume();
    return async () => ({ lines: [text('resume.resumed')] });
  },
});
