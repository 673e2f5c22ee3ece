import { describe, expect, it } from 'vitest';
import type { Sound } from './measure.ts';
import { shareScene } from './scene.ts';
import { LONG, speaking } from './speaking.ts';

const ANSWERED = { timeoutMs: 30_000 };
const secondsOf = ({ samples, sampleRateHz }: Sound) => samples.length / sampleRateHz;

const shared = shareScene();

describe('following', () => {
  it('follows the requester when there is no other listener, and continues its speech there', async () => {
    const { alice, sent } = await speaking(shared.server);
    alice.moves('Lounge');
    alice.listener.clear();
    const next = await alice.types('/say text:And this comes after it.');
    expect((await sent.reply({ ...ANSWERED, until: ({ text }) => text.includes('Spoken in') })).text).toContain(
      'Lounge',
    );
    expect((await next.reply({ ...ANSWERED, until: ({ text }) => text.includes('Spoken in') })).text).toContain(
      'Lounge',
    );
    expect(shared.server.channel('Lounge').members).toContain('bot');
    // All of the first text, from its beginning, and all of the second.
    const whole =
      secondsOf(await shared.scene.said(LONG)) + secondsOf(await shared.scene.said('And this comes after it.'));
    expect(alice.listener.heard().seconds).toBeGreaterThan(whole * 0.95);
    expect(alice.listener.heard()).toMatchObject({ unencryptedFrames: 0, undecryptableFrames: 0, lostPackets: 0 });
  });
});
