import { type BaseInteraction, PermissionFlagsBits, type Role } from 'discord.js';
import { voicePlace } from '../../discord/channels/permissions.ts';
import { quote } from '../../discord/replies/layout.ts';
import { UserError } from '../../errors/user-errors.ts';
import type { QueueItem } from '../../services/queue/queue-item.ts';
import { text } from '../../texts/catalog.ts';
import { mayRead, mustBeReadable, mustBeSpokenIn, TO_ENTER, usableChannel } from '../framework/checks.ts';
import { type CommandCall, type ControlCall, serverCommand, serverControl, type Work } from '../framework/command.ts';
import { mustBeUnblocked } from '../say/offers.ts';
import { followed } from '../say/replies.ts';
import { accept } from '../say/speak.ts';

const needs = { speaks: true };

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
    const { recent } = services.speakers.of(interaction.guildId).queue();
    const latest = recent.find((item) => mayRead(interaction, item));
    if (!latest) throw new UserError(text('replay.nothing'));
    return again(call, latest.id);
  },
});

async function again(call: CommandCall<'cached'> | ControlCall<'cached'>, itemId: string): Promise<Work> {
  const { interaction, services, askedAtMs, signal, acknowledged } = call;
  const { guildId, user, channelId: textChannelId } = interaction;
  const channel = usableChannel(interaction, services.speakers, undefined);
  const rules = await services.settings.of(guildId);
  mustBeSpokenIn(channel, interaction, rules);
  const speaker = services.speakers.of(guildId);
  const spoken = speaker.find(itemId);
  if (!spoken) throw new UserError(text('replay.gone'));
  const where = { guildId, userId: user.id, channelId: channel.id };
  const note = { ...where, kind: 'replay', characters: spoken.requested.request.input.length } as const;
  await mustBeUnblocked(services, note, spoken);
  return accept(call, rules, () => {
    const again = { itemId, place: voicePlace(channel), userId: user.id, textChannelId: textChannelId ?? undefined };
    const replayed = wordsInPublic(interaction, spoken);
    return followed(call, { channel, kind: 'replay', note, replayed }, () =>
      speaker.replay({ ...again, askedAtMs, acknowledged, signal }),
    );
  });
}

/** Another member's text becomes “…” unless all roles that see the reply may listen in the text's voice channel. */
function wordsInPublic(
  { user, guild, channel }: BaseInteraction<'cached'>,
  { order: { userId }, channelId, requested: { request } }: QueueItem,
): string {
  const voice = guild.channels.cache.get(channelId);
  const mayListen = (role: Role) => voice?.permissionsFor(role)?.has(TO_ENTER) === true;
  const isReader = (role: Role) => channel?.permissionsFor(role)?.has(PermissionFlagsBits.ViewChannel) !== false;
  const isForAll =
    userId === user.id ||
    channel?.id === channelId ||
    guild.roles.cache.every((role) => !isReader(role) || mayListen(role));
  return isForAll ? quote(request.input) : '…';
}
