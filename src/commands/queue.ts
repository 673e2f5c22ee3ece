import type { RepliableInteraction } from 'discord.js';
import type { Row } from '../discord/layout.ts';
import { quote } from '../discord/quote.ts';
import type { QueuedItem, QueueView, WaitingItem } from '../services/guild-speaker-types.ts';
import { type Text, text } from '../texts/catalogue.ts';
import { clockTime } from './clock-time.ts';
import type { ChatCommand, Control, Reply, Services } from './command.ts';
import { IN_SERVERS } from './contexts.ts';
import { type Asker, askerOf, mayRead } from './item-rights.ts';
import { serverCall } from './server-call.ts';

const needs = { contexts: IN_SERVERS };
/** Fits into a message with room to spare, however long the names are. */
const PAGE = 10;

/** Turns the pages; its argument is the page, counted from 0. */
const pageButton: Control = {
  name: 'queue',
  needs,
  replyTo: 'message',
  deferred: false,
  begin(anywhere) {
    const { interaction, services, argument } = serverCall(anywhere);
    return async () => page(services, interaction, Number.parseInt(argument, 10) || 0);
  },
};

export const queue: ChatCommand = {
  name: 'queue',
  description: 'queue.description',
  needs,
  replyTo: 'caller',
  deferred: false,
  controls: [pageButton],

  begin(anywhere) {
    const { interaction, services } = serverCall(anywhere);
    return async () => page(services, interaction, 0);
  },
};

function page({ speakers }: Services, interaction: RepliableInteraction<'cached'>, asked: number): Reply {
  const view = speakers.find(interaction.guildId)?.queue();
  if (!view?.current) return { lines: [text('queue.empty')] };
  const asker = askerOf(interaction);
  const pages = Math.max(1, Math.ceil(view.waiting.length / PAGE));
  const number = Math.min(Math.max(asked, 0), pages - 1);
  const shown = view.waiting.slice(number * PAGE, (number + 1) * PAGE);
  return {
    lines: [
      currentLine(view, view.current, asker),
      ...(view.waiting.length === 0 ? [text('queue.nothing-waits')] : []),
      ...shown.map((item) => waitingLine(item, asker)),
      ...(pages > 1 ? [text('page.of', { page: number + 1, pages })] : []),
    ],
    rows: pages > 1 ? [pageRow('queue', number, pages)] : [[refreshButton(number)]],
  };
}

/** Whose it is, and its words where they are for the asker to read. */
function whatOf(item: QueuedItem, asker: Asker) {
  const words = mayRead(asker, item)
    ? text('queue.words', { text: quote(item.request.input, 60) })
    : text('queue.unseen');
  return { member: `<@${item.userId}>`, words };
}

function currentLine({ isPaused }: QueueView, item: QueuedItem, asker: Asker): Text {
  const what = whatOf(item, asker);
  return isPaused ? text('queue.paused', what) : text('queue.now', what);
}

function waitingLine(item: WaitingItem, asker: Asker): Text {
  const { position, waitMs } = item;
  const what = { position, ...whatOf(item, asker) };
  return waitMs === undefined
    ? text('queue.waiting', what)
    : text('queue.waiting-for', { ...what, wait: clockTime(waitMs) });
}

const refreshButton = (number: number) =>
  ({ kind: 'button', label: text('page.refresh'), control: 'queue', argument: `${number}` }) as const;

/** Back and forth; the ids differ even where both would lead to the same page. */
export function pageRow(control: string, number: number, pages: number, rest = ''): Row {
  const to = (target: number) => `${target}${rest}`;
  return [
    {
      kind: 'button',
      label: text('page.previous'),
      control,
      argument: to(number - 1),
      disabled: number === 0,
    },
    { kind: 'button', label: text('page.next'), control, argument: to(number + 1), disabled: number >= pages - 1 },
  ];
}
