import type { RepliableInteraction } from 'discord.js';
import { button } from '../../discord/replies/layout.ts';
import { clockTime, quote } from '../../discord/replies/quote.ts';
import type { QueueItem, QueueView } from '../../services/queue/queue-item.ts';
import { type Text, text } from '../../texts/catalog.ts';
import { pageAsked, pageLines, pageOf, pageRows } from '../framework/buttons.ts';
import { mayRead, nothingThere, type QueueUser, queueUserOf } from '../framework/checks.ts';
import type { Reply, Services } from '../framework/command.ts';
import { serverCommand, serverControl } from '../framework/server-call.ts';

/** Fits into a message with room to spare, however long the names are. */
const PAGE = 10;

/** Turns the pages; its argument is the page, counted from 0. */
const pageButton = serverControl({
  name: 'queue',
  replyTo: 'message',
  deferred: false,
  begin({ interaction, services, argument }) {
    return async () => show(services, interaction, pageAsked(argument));
  },
});

export const queue = serverCommand({
  name: 'queue',
  description: 'queue.description',
  replyTo: 'caller',
  deferred: false,
  controls: [pageButton],

  begin({ interaction, services }) {
    return async () => show(services, interaction, 0);
  },
});

function show(services: Services, interaction: RepliableInteraction<'cached'>, asked: number): Reply {
  const view = services.speakers.find(interaction.guildId)?.queue();
  if (!view?.current) return { lines: [nothingThere(services, interaction.guildId, text('queue.empty'))] };
  const asker = queueUserOf(interaction);
  const page = pageOf(view.waiting, PAGE, asked);
  const turning = pageRows('queue', page);
  return {
    lines: [
      currentLine(view, view.current, asker),
      ...(view.waiting.length === 0 ? [text('queue.nothing-waits')] : []),
      ...page.shown.map((item) => waitingLine(item, asker)),
      ...pageLines(page),
    ],
    rows: turning.length > 0 ? turning : [[button('queue', text('page.refresh'), '0')]],
  };
}

/** The requester of an item, and its words if the asker is allowed to read them. */
function whatOf(item: QueueItem, asker: QueueUser) {
  const words = mayRead(asker, item)
    ? text('queue.words', { text: quote(item.requested.request.input, 60) })
    : text('queue.unseen');
  return { member: `<@${item.order.userId}>`, words };
}

function currentLine({ isPaused }: QueueView, item: QueueItem, asker: QueueUser): Text {
  const what = whatOf(item, asker);
  return isPaused ? text('queue.paused', what) : text('queue.now', what);
}

function waitingLine(item: QueueItem, asker: QueueUser): Text {
  const { position, waitMs } = item;
  const what = { position, ...whatOf(item, asker) };
  return waitMs === undefined
    ? text('queue.waiting', what)
    : text('queue.waiting-for', { ...what, wait: clockTime(waitMs) });
}
