import { raisesHand, voicePlace } from '../../discord/channels/voice-access.ts';
import { noteOfDelivery, noteWhenOver } from '../../discord/moderation/moderation-notes.ts';
import type { Content } from '../../discord/replies/content.ts';
import { UserError } from '../../errors/user-errors.ts';
import type { Delivery, QueueItem } from '../../services/queue/queue-item.ts';
import { type Text, text } from '../../texts/catalog.ts';
import {
  callersChannel,
  mayRead,
  mustBeReadable,
  mustBeSpokenIn,
  queueUserOf,
  wordsInPublic,
} from '../framework/checks.ts';
import type { CommandCall, ControlCall, Reply, Services, Work } from '../framework/command.ts';
import { serverCommand, serverControl } from '../framework/server-call.ts';
import { acceptAfterCooldown, keptText, mustBeUnblocked, uncountUnspoken } from '../say/accepted.ts';
import { endButtons, laterReply, wayLine } from '../say/speech-progress.ts';

const needs = { speaks: true };

/** Below what was spoken; its argument is the item's id. */
const replayButton = serverControl({
  name: 'replay',
  needs,
  replyTo: 'everyone',
  deferred: true,
  begin(call) {
    const item = call.services.speakers.find(call.interaction.guildId)?.find(call.argument);
    if (item) mustBeReadable(call.interaction, item);
    return again(call, call.argument);
  },
});

export const replay = serverCommand({
  name: 'replay',
  description: 'replay.description',
  needs,
  replyTo: 'everyone',
  deferred: true,
  controls: [replayButton],
  begin(call) {
    const { interaction, services } = call;
    const asker = queueUserOf(interaction);
    const { recent = [], latestNotKept } = services.speakers.find(interaction.guildId)?.queue() ?? {};
    const latest = recent.find((item) => mayRead(asker, item));
    if (!latest) throw new UserError(text('replay.nothing'));
    const isOlder = latestNotKept !== undefined && mayRead(asker, latestNotKept);
    return again(call, latest.id, isOlder ? [text('replay.latest-not-kept')] : []);
  },
});

async function again(
  call: CommandCall<'cached'> | ControlCall<'cached'>,
  itemId: string,
  notes: readonly Text[] = [],
): Promise<Work> {
  const { interaction, askedAtMs, signal, acknowledged } = call;
  const { speakers, settings } = call.services;
  const channel = callersChannel(interaction, speakers, 'replay');
  const serverRules = await settings.of(interaction.guildId);
  mustBeSpokenIn(channel, interaction, serverRules);
  const needsInvitation = raisesHand(channel);
  const speaker = speakers.of(interaction.guildId);
  const spoken = speaker.find(itemId);
  if (!spoken) throw new UserError(text('replay.gone'));
  const where = { guildId: interaction.guildId, userId: interaction.user.id, channelId: channel.id };
  const note = { ...where, kind: 'replay', characters: spoken.requested.request.input.length } as const;
  await mustBeUnblocked(call.services, note, spoken);
  const submission = acceptAfterCooldown(call, serverRules, () =>
    speaker.replay({
      itemId,
      place: voicePlace(channel),
      userId: interaction.user.id,
      textChannelId: interaction.channelId ?? undefined,
      askedAtMs,
      acknowledged,
      signal,
    }),
  );
  const { delivery, item, onChanged } = submission;
  const { order, requested } = item();
  const kept = speakers.unspoken.keep(
    submission,
    keptText(interaction, {
      kind: 'replay',
      channelId: channel.id,
      words: { order, requested },
      authorId: order.authorId,
    }),
  );
  void call.answered?.then(() => kept?.told());
  noteWhenOver(call.services, note, delivery.then(noteOfDelivery), kept);
  const words = wordsInPublic(interaction, spoken);
  return uncountUnspoken(call, serverRules, async (progress) => {
    const show = (present: QueueItem) => {
      const content = replayProgressOf(present, words, needsInvitation);
      if (content) progress(content);
    };
    const unsubscribe = onChanged(show);
    show(item());
    try {
      const reply = replayed(await delivery, words, call.services);
      return { ...reply, lines: [...reply.lines, ...notes] };
    } catch (error) {
      if (!kept?.comesBack) throw error;
      return laterReply(error, call.services);
    } finally {
      unsubscribe();
    }
  });
}

/** In the end: what was heard again. */
export function replayed(
  { outcome, stoppedBy: by = 'requester', channelId, firstAudioMs, encrypted }: Delivery,
  words: string,
  { bot }: Services,
): Reply {
  const heard = { channel: `<#${channelId}>`, text: words };
  return {
    lines: [
      outcome === 'finished' ? text('replay.spoken', heard) : text('replay.stopped', { ...heard, by }),
      ...(bot.localVoice ? [] : [text('credits.none-used')]),
    ],
    facts: { spoken: outcome, firstAudioMs, encrypted },
  };
}

/** Meanwhile, as for what is spoken the first time. */
export function replayProgressOf(item: QueueItem, words: string, needsInvitation = false): Content | undefined {
  const { state, channelId } = item;
  const line =
    state === 'speaking'
      ? text('replay.speaking', { channel: `<#${channelId}>`, text: words })
      : wayLine(item, needsInvitation);
  return line && { lines: [line], rows: [endButtons(item)] };
}
