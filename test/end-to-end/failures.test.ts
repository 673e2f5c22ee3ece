import { describe, expect, it } from 'vitest';
import type { BotLogLine } from '../../src/playground/demo/bot/bot-process.ts';
import type { SentInteraction, VisibleMessage } from '../../src/playground/world/world.ts';
import { inVoice, startScene } from './scene.ts';

const REQUEST_ID = /req_crier_[0-9a-f]{32}/;

/** The public placeholder is gone, and only the requester is told the reason. */
async function expectFailure(sent: SentInteraction): Promise<VisibleMessage> {
  const reply = await sent.reply({ until: (message) => message.ephemeral });
  const publicOnes = sent.replies.filter((message) => !message.ephemeral);
  expect(publicOnes.every((message) => message.deleted)).toBe(true);
  return reply;
}

describe('when the speech service fails', () => {
  it('a wrong key is explained, with the code and the request id, and the key is nowhere in the log', async () => {
    const log: BotLogLine[] = [];
    const { world, bot } = await startScene({
      env: { VOICE_API_KEY: 'a-wrong-key-that-must-not-be-logged' },
      onLogLine: (line) => log.push(line),
    });
    const alice = inVoice(world);
    const sent = await alice.types('/say text:Hello there');
    const reply = await expectFailure(sent);

    expect(log).toContainEqual(
      expect.objectContaining({
        msg: 'Speech service unusable: it does not accept the key',
        remedy: expect.stringContaining('Check VOICE_API_URL and VOICE_API_KEY'),
      }),
    );
    expect(reply.text).toContain('VOICE_API_KEY');
    expect(reply.text).toContain('invalid_api_key');
    expect(reply.text).toMatch(REQUEST_ID);
    await bot.stop();
    expect(JSON.stringify(log)).not.toContain('must-not-be-logged');
  });

  it('missing credits are explained, and nothing is spent; once topped up, another try is spoken', async () => {
    const { world, service } = await startScene({ startingCredits: 1 });
    const alice = inVoice(world);
    const reply = await expectFailure(await alice.types('/say text:This costs more than one credit.'));

    expect(reply.text).toContain('Not enough credits');
    expect(reply.text).toContain('insufficient_credits');
    expect(reply.text).toMatch(REQUEST_ID);
    expect(service.ledger.account().creditsLeft).toBe(1);

    service.ledger.topUp(1_000, 'More');
    const again = await alice.presses(reply, 'Try again');
    await again.reply({ until: /Spoken in/ });
  });
});
