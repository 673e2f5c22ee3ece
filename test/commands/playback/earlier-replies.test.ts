import { Client, DiscordAPIError } from 'discord.js';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createEarlierReplies } from '../../../src/commands/playback/earlier-replies.ts';
import { createFollower } from '../../../src/commands/say/replies.ts';
import { DeliveryError, PartError, UserError } from '../../../src/errors/user-errors.ts';
import type { KeptText } from '../../../src/services/playback/unspoken.ts';
import { text } from '../../../src/texts/catalog.ts';
import { itemOf, orderOf, requestedOf } from '../../services/queue/items.ts';
import { servicesOf, submissionOf } from '../scene.ts';

const REPLY = { applicationId: '1', interactionId: '2', token: 'token', locale: 'en-US' };
const KEPT: KeptText = {
  id: 'one',
  acceptedAtMs: 0,
  state: 'waiting',
  comebacks: 0,
  words: { order: orderOf({ userId: '7' }), requested: requestedOf() },
  origin: { kind: 'say', guildId: '9', userId: '7', channelId: '30', textChannelId: '20', reply: REPLY },
};
const NOT_SPOKEN = {
  why: text('resumed.not-spoken', { heard: 'some' }),
  cost: { kind: 'none' },
  mayTryAgain: false,
} as const;

/** Discord takes no edit by the token any more; the bot may write in the channel, or not. */
function expired({ mayWrite = true, localVoice = true } = {}) {
  const client = new Client({ intents: [] }) as Client<true>;
  onTestFinished(() => client.destroy());
  const posted: unknown[] = [];
  vi.spyOn(client.rest, 'patch').mockRejectedValue(
    new DiscordAPIError({ code: 50_027, message: 'Invalid Webhook Token' }, 50_027, 401, 'PATCH', '', {}),
  );
  client.guilds.cache.set('9', { members: { me: { communicationDisabledUntil: null } } } as never);
  client.channels.cache.set('20', {
    isSendable: () => true,
    isDMBased: () => false,
    isThread: () => false,
    permissionsFor: () => ({ has: () => mayWrite }),
    send: async (message: object) => void posted.push(message),
  } as never);
  const services = servicesOf({ localVoice, topUp: undefined, voices: { known: () => undefined } });
  return { replies: createEarlierReplies(client, services), posted };
}

it('a reply whose token has expired is followed by one message in its channel, without a notification, if the bot may write there', async () => {
  const { replies, posted } = expired();
  await replies.tell(KEPT, { ...NOT_SPOKEN, cost: { kind: 'used', credits: 15, mayBeMore: true } });
  const content = expect.stringMatching(
    /^<@7>: The bot restarted, so this wasn’t spoken in full.\n15 credits were used.\nThe part .* may cost more.$/,
  );
  expect(posted).toMatchObject([{ content, allowedMentions: { parse: [] } }]);
  const silent = expired({ mayWrite: false });
  await silent.replies.tell(KEPT, NOT_SPOKEN);
  expect(silent.posted).toEqual([]);
});

/** A text that is in the queue again, and fails. */
function failing(cause: unknown, { creditsBefore = 0 } = {}) {
  const told = vi.fn();
  const failure = new DeliveryError('30', { kind: 'none' }, cause);
  const resumed = {
    submission: submissionOf(itemOf({ state: 'failed' }), Promise.reject(failure)),
    kept: { comesBack: false, told },
    follower: createFollower(servicesOf({}), { replayed: undefined, needsInvitation: false, creditsBefore }),
    creditsBefore,
  };
  return { resumed, told };
}

it('tells nobody else what is left to a member of their credits, nor of a later part', async () => {
  const limit = new UserError(text('resumed.failed', { heard: 'some' }), {
    kind: 'spending-limit',
    toOthers: text('resumed.not-spoken', { heard: 'some' }),
  });
  const { replies, posted } = expired();
  const { resumed, told } = failing(limit);
  await replies.follow(KEPT, resumed);
  expect(posted).toMatchObject([{ content: expect.stringContaining('The bot restarted, so') }]);
  expect(told).toHaveBeenCalledOnce();
  const later = expired({ localVoice: false });
  await later.replies.follow(KEPT, failing(new PartError(2, 3, limit), { creditsBefore: 15 }).resumed);
  expect(later.posted).toMatchObject([
    { content: expect.stringMatching(/^<@7>: .*part 2 of 3.*\nThe bot restarted, so .*\n15 credits were used.$/) },
  ]);
});
