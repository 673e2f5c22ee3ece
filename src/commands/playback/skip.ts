import { DISCORD_LIMITS } from '../../discord/replies/limits.ts';
import { quote } from '../../discord/replies/quote.ts';
import { UserError } from '../../errors/user-errors.ts';
import type { GuildSpeaker } from '../../services/playback/guild-speaker-types.ts';
import { isOver, type QueueItem } from '../../services/queue/queue-item.ts';
import { render, type Text, text } from '../../texts/catalog.ts';
import { mayEnd, mayRead, nothingThere, notYours, type QueueUser, queueUserOf } from '../framework/checks.ts';
import type { CompletionCall, Reply } from '../framework/command.ts';
import { stringOption } from '../framework/options.ts';
import { serverCall, serverCommand, serverControl } from '../framework/server-call.ts';

/** The button below what is waiting or being spoken; its argument is the item's id. */
const skipButton = serverControl({
  name: 'skip',
  replyTo: 'caller',
  deferred: false,
  begin({ interaction, services, argument }) {
    const speaker = services.speakers.find(interaction.guildId);
    const item = speaker?.find(argument);
    if (!speaker || !item || isOver(item.state)) throw new UserError(text('refused.over-item'));
    return async () => skipItem(speaker, item, queueUserOf(interaction));
  },
});

export const skip = serverCommand({
  name: 'skip',
  description: 'skip.description',
  options: [
    stringOption('position', 'skip.position', { autocomplete: true, maxLength: DISCORD_LIMITS.choiceCharacters }),
  ],
  replyTo: 'everyone',
  deferred: false,
  controls: [skipButton],
  complete: completePosition,

  begin({ interaction, services }) {
    const speaker = services.speakers.find(interaction.guildId);
    const view = speaker?.queue();
    const position = interaction.options.getString('position')?.trim();
    const asker = queueUserOf(interaction);
    const { locale } = interaction;
    const item = position === undefined ? view?.current : speaker && itemAt(speaker, position, { asker, locale });
    if (!speaker || !item) {
      const nothing = position === undefined ? text('stop.nothing') : nothingAt(position);
      throw new UserError(view?.current ? nothing : nothingThere(services, interaction.guildId, nothing));
    }
    const reply = skipItem(speaker, item, asker);
    return async () => reply;
  },
});

const isNumber = (position: string) => /^\d{1,9}$/.test(position);

/**
 * By its place in the queue as it is now, or, where a suggestion was picked, the text that was shown in it: by its id, or by
 * what was shown, which clients send instead after a change of channel.
 */
function itemAt(
  speaker: GuildSpeaker,
  position: string,
  { asker, locale }: { readonly asker: QueueUser; readonly locale: string },
): QueueItem | undefined {
  const { waiting } = speaker.queue();
  if (isNumber(position)) return waiting[Number(position) - 1];
  const item = speaker.find(position);
  if (item) return isOver(item.state) ? undefined : item;
  const shownAt = Number.parseInt(position, 10);
  const shown = waiting.filter((one) => choiceName(one, shownAt, asker, locale) === position);
  return shown.find((one) => one.position === shownAt) ?? shown[0];
}

const nothingAt = (position: string): Text =>
  isNumber(position) ? text('skip.no-such', { position: Number(position) }) : text('skip.gone');

/** The waiting texts that the asker may remove. Their values stay with the texts while the queue moves up. */
async function completePosition(anywhere: CompletionCall) {
  const { interaction, services } = serverCall(anywhere);
  const asker = queueUserOf(interaction);
  const typed = interaction.options.getFocused().trim().toLocaleLowerCase();
  const waiting = services.speakers.find(interaction.guildId)?.queue().waiting ?? [];
  return waiting
    .filter((item) => mayEnd(asker, item) && (!isNumber(typed) || String(item.position).startsWith(typed)))
    .map((item) => ({ name: choiceName(item, item.position, asker, interaction.locale), value: item.id }))
    .filter(({ name }) => name.toLocaleLowerCase().includes(typed))
    .slice(0, DISCORD_LIMITS.choices);
}

function choiceName(item: QueueItem, position: number, asker: QueueUser, locale: string): string {
  const words = mayRead(asker, item)
    ? text('queue.words', { text: item.requested.request.input })
    : text('queue.unseen');
  const name = `${position}. ${render(words, locale)}`.replaceAll(/\s+/g, ' ');
  return name.slice(0, DISCORD_LIMITS.choiceCharacters).toWellFormed().trim();
}

function skipItem(speaker: GuildSpeaker, item: QueueItem, asker: QueueUser): Reply {
  if (!mayEnd(asker, item)) throw notYours(item);
  const kind = item.state === 'waiting' ? 'removed' : 'skipped';
  if (!speaker.skip(item.id, asker.userId)) throw new UserError(text('refused.over-item'));
  // Some readers of the answer may not have access to the voice channel that the words are for.
  if (item.order.userId !== asker.userId)
    return { lines: [text(`skip.${kind}-of-other`, { member: `<@${item.order.userId}>` })] };
  return { lines: [text(`skip.${kind}`, { text: quote(item.requested.request.input, 80) })] };
}
