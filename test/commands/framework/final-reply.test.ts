import { pino } from 'pino';
import { expect, it } from 'vitest';
import { conclude } from '../../../src/commands/framework/final-reply.ts';
import { type AnsweredInteraction, createAnswer } from '../../../src/discord/replies/answer.ts';
import { button } from '../../../src/discord/replies/layout.ts';
import { refusal } from '../../../src/errors/refusals.ts';
import { text } from '../../../src/texts/catalog.ts';

it('what others may read of a private refusal keeps its buttons', async () => {
  const log = pino({ level: 'silent' });
  const edited: object[] = [];
  const interaction = {
    id: '1',
    deferReply: async () => undefined,
    deleteReply: () => Promise.reject(new Error('Discord is down')),
    editReply: async (message: object) => void edited.push(message),
  } as unknown as AnsweredInteraction;
  const answer = createAnswer(interaction, { repeated: () => false, log });
  await answer.defer('everyone');
  const reply = {
    lines: [refusal('server-muted')],
    toOthers: [text('refused.by-rules')],
    rows: [[button('say-go', text('say.again'), 'token')]],
  };
  const conclusion = { reply, visibility: 'caller', facts: {} } as const;
  await conclude(answer, conclusion, { locale: 'en-US', localVoice: true, log });
  expect(edited).toMatchObject([
    {
      content: 'This server’s rules don’t allow speaking this.',
      components: [{ components: [{ custom_id: 'say-go:token' }] }],
    },
  ]);
});
