import { voicePlace } from '../../discord/channels/permissions.ts';
import { UserError } from '../../errors/user-errors.ts';
import { text } from '../../texts/catalog.ts';
import { mayRead, mustBeReadable, mustBeSpokenIn, usableChannel, wordsInPublic } from '../framework/checks.ts';
import { type SpeakCall, serverCommand, serverControl, type Work } from '../framework/command.ts';
import { mustBeUnblocked } from '../say/offers.ts';
import { followed } from '../say/replies.ts';
import { accept } from '../say/speak.ts';

export const replay = serverCommand({
  name: 'replay',
  speaks: true,
  replyTo: 'everyone',
  deferred: true,
  controls: [
    serverControl({
      name: 'replay',
      speaks: true,
      replyTo: 'everyone',
      deferred: true,
      begin(call) {
        const item = call.services.speakers.find(call.interaction.guildId)?.find(call.argument);
        if (item) mustBeReadable(call.interaction, item);
        return again(call, call.argument);
      },
    }),
  ],
  begin(call) {
    const { interaction, services } = call;
    const { recent } = services.speakers.of(interaction.guildId).queue();
    const latest = recent.find((item) => mayRead(interaction, item));
    if (!latest) throw new UserError(text('replay.nothing'));
    return again(call, latest.id);
  },
});

async function again(call: SpeakCall<'cached'>, itemId: string): Promise<Work> {
  const { interaction, services, askedAtMs, signal, acknowledged } = call;
  const { guildId, user, channelId: textChannelId } = interaction;
  const channel = usableChannel(interaction, services.speakers, undefined);
  const rules = await services.settings.of(guildId);
  mustBeSpokenIn(channel.id, interaction, rules);
  const speaker = services.speakers.of(guildId);
  const spoken = speaker.find(itemId);
  if (!spoken) throw new UserError(text('replay.gone'));
  const where = { guildId, userId: user.id, channelId: channel.id };
  const note = { ...where, kind: 'replay', characters: spoken.requested.request.input.length } as const;
  await mustBeUnblocked(services, note, spoken);
  return accept(call, rules, () => {
    const again = { itemId, place: voicePlace(channel), userId: user.id, textChannelId: textChannelId ?? undefined };
    const replayed = wordsInPublic(interaction, spoken);
    return followed(call, { channel, note, replayed }, () =>
      speaker.replay({ ...again, askedAtMs, acknowledged, signal }),
    );
  });
}
