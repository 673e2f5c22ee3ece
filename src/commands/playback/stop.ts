import { UserError } from '../../errors/user-errors.ts';
import type { GuildSpeaker } from '../../services/playback/guild-speaker-types.ts';
import { underWay } from '../../services/queue/queue-item.ts';
import { text } from '../../texts/catalog.ts';
import { firstOfOthers, mayEnd, nothingThere, type QueueUser, queueUserOf } from '../framework/checks.ts';
import type { CommandCall, ControlCall, Reply, Work } from '../framework/command.ts';
import { serverCommand, serverControl } from '../framework/server-call.ts';

/** The button below what is being spoken. */
const stopButton = serverControl({
  name: 'stop',
  replyTo: 'everyone',
  deferred: false,
  begin: stopNow,
});

export const stop = serverCommand({
  name: 'stop',
  description: 'stop.description',
  replyTo: 'everyone',
  deferred: false,
  controls: [stopButton],

  begin: stopNow,
});

/** Everything, where all of it is the asker's to end; otherwise only what is. */
function stopNow({
  interaction,
  services,
  askedAtMs = performance.now(),
}: CommandCall<'cached'> | ControlCall<'cached'>): Work {
  const speaker = services.speakers.of(interaction.guildId);
  const asker = queueUserOf(interaction);
  speaker.stopWhatComes({ askedAtMs, byUserId: asker.userId, isOfAll: asker.isModerator });
  if (!speaker.queue().current) {
    throw new UserError(nothingThere(services, interaction.guildId, text('stop.nothing')));
  }
  const reply = stopFor(speaker, asker);
  return async () => reply;
}

function stopFor(speaker: GuildSpeaker, asker: QueueUser): Reply {
  const queue = speaker.queue();
  const items = underWay(queue);
  const endable = items.filter((item) => mayEnd(asker, item));
  if (endable.length === items.length) {
    const { dropped } = speaker.stop(asker.userId);
    return { lines: [text('stop.stopped', { waiting: dropped })] };
  }
  const other = firstOfOthers(asker, queue);
  if (endable.length === 0 && other)
    throw new UserError(text('stop.not-yours', { member: `<@${other.order.userId}>` }));
  // From the back, so that none of them begins meanwhile.
  for (const { id } of endable.toReversed()) speaker.skip(id, asker.userId, 'stop');
  return { lines: [text('stop.own', { count: endable.length })] };
}
