import { DiscordAPIError, type Message, RESTJSONErrorCodes } from 'discord.js';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { type AnsweredInteraction, createAnswer } from '../../src/discord/answer.ts';

const log = pino({ level: 'silent' });

const apiError = (code: number) =>
  new DiscordAPIError({ code, message: 'No' }, code, 401, 'PATCH', 'https://discord.test', {});

/** An interaction whose 15 minutes end when `expire` is called. */
function expiring(error = apiError(RESTJSONErrorCodes.InvalidWebhookToken)) {
  const calls: string[] = [];
  let isOver = false;
  const called = (method: string) => async (message?: { content?: string }) => {
    if (isOver) throw error;
    calls.push([method, message?.content].filter(Boolean).join(' '));
  };
  const message = {
    edit: async ({ content }: { content?: string }) => void calls.push(`edit the message ${content}`),
  };
  const editReply = called('edit');
  const interaction = {
    id: '1',
    deferred: false,
    ephemeral: null,
    reply: called('reply'),
    deferReply: called('defer'),
    deleteReply: called('delete'),
    followUp: called('follow up'),
    async editReply(changed: { content?: string }) {
      await editReply(changed);
      return message as unknown as Message;
    },
  } as unknown as AnsweredInteraction;
  const answer = createAnswer(interaction, { repeated: () => false, log });
  const expire = () => {
    isOver = true;
  };
  return { answer, calls, expire };
}

/** The same after it was deferred, its progress was shown, and its 15 minutes are over. */
async function expired({ ephemeral, error }: { ephemeral: boolean; error?: DiscordAPIError }) {
  const { answer, calls, expire } = expiring(error);
  await answer.defer({ ephemeral });
  answer.progress({ content: 'Waiting' });
  await new Promise((shown) => setImmediate(shown));
  expire();
  return { answer, calls };
}

describe('an answer that comes after the interaction’s 15 minutes', () => {
  it('goes into the message that everybody sees', async () => {
    const { answer, calls } = await expired({ ephemeral: false });
    await answer.conclude({ content: 'Spoken', ephemeral: false });
    expect(calls).toEqual(['defer', 'edit Waiting', 'edit the message Spoken']);
  });

  it('tells a failure there, because nobody else can be told', async () => {
    const { answer, calls } = await expired({ ephemeral: false });
    await answer.conclude({ content: 'Failed', ephemeral: true });
    expect(calls.at(-1)).toBe('edit the message Failed');
  });

  it('is lost without an error where only the caller sees the message', async () => {
    const { answer, calls } = await expired({ ephemeral: true });
    await answer.conclude({ content: 'Spoken', ephemeral: true });
    expect(calls).toEqual(['defer', 'edit Waiting']);
  });

  it('does not bring back a message that was deleted', async () => {
    const { answer, calls } = await expired({ ephemeral: false, error: apiError(RESTJSONErrorCodes.UnknownMessage) });
    await answer.conclude({ content: 'Spoken', ephemeral: false });
    expect(calls).toEqual(['defer', 'edit Waiting']);
  });
});
