import { quote } from '../../discord/replies/quote.ts';
import { UserError } from '../../errors/user-errors.ts';
import type { GuildSpeaker } from '../../services/playback/guild-speaker-types.ts';
import { isOver } from '../../services/queue/entry.ts';
import type { QueuedItem } from '../../services/queue/queued-item.ts';
import { SETTINGS_LIMITS } from '../../services/servers/server-settings.ts';
import { text } from '../../texts/catalogue.ts';
import {
  mayEnd,
  mayRead,
  nothingThere,
  notYours,
  type QueueUser,
  queueUserOf,
} from '../framework/checks/queue-rights.ts';
import type { Reply } from '../framework/command.ts';
import { integerOption } from '../framework/options.ts';
import { serverCommand, serverControl } from '../framework/server-call.ts';

/** The button below what is waiting or being spoken; its argument is the item's id. */
const skipButton = serverControl<'speakers' | 'unspoken'>({
  name: 'skip',
  replyTo: 'caller',
  deferred: false,
  begin({ interaction, services, argument }) {
    const speaker = services.speakers.find(interaction.guildId);
    const item = speaker?.find(argument);
    if (!speaker || !item || isOver(item)) throw new UserError(text('refused.over-item'));
    return async () => skipItem(speaker, item, queueUserOf(interaction));
  },
});

export const skip = serverCommand<'speakers' | 'unspoken'>({
  name: 'skip',
  description: 'skip.description',
  options: [integerOption('position', 'skip.position', { min: 1, max: SETTINGS_LIMITS.queue })],
  replyTo: 'everyone',
  deferred: false,
  controls: [skipButton],

  begin({ interaction, services }) {
    const speaker = services.speakers.find(interaction.guildId);
    const view = speaker?.queue();
    const position = interaction.options.getInteger('position');
    const item = position === null ? view?.current : view?.waiting[position - 1];
    if (!speaker || !item) {
      const nothing = position === null ? text('stop.nothing') : text('skip.no-such', { position });
      throw new UserError(view?.current ? nothing : nothingThere(services, interaction.guildId, nothing));
    }
    const reply = skipItem(speaker, item, queueUserOf(interaction));
    return async () => reply;
  },
});

function skipItem(speaker: GuildSpeaker, item: QueuedItem, asker: QueueUser): Reply {
  if (!mayEnd(asker, item)) throw notYours(item);
  const kind = item.state === 'waiting' ? 'removed' : 'skipped';
  if (!speaker.skip(item.id, asker.userId)) throw new UserError(text('refused.over-item'));
  // A moderator may end what is spoken in a channel that they cannot see.
  if (!mayRead(asker, item)) return { lines: [text(`skip.${kind}-unseen`, { member: `<@${item.userId}>` })] };
  return { lines: [text(`skip.${kind}`, { text: quote(item.request.input, 80) })] };
}
