import { describe, expect, it } from 'vitest';
import { shareScene } from './scene.ts';
import { LONG, speaking } from './speaking.ts';

const ANSWERED = { timeoutMs: 30_000 };
const told = { ...ANSWERED, until: ({ ephemeral }: { ephemeral: boolean }) => ephemeral };

const shared = shareScene();

describe('a loss of the bot’s voice while it speaks is explained in plain words', () => {
  it('the permission to speak', async () => {
    const { alice, sent } = await speaking(shared.server, `${LONG} Nobody else has said this before.`);
    shared.server.channel('General').denyBot('Speak');
    const reply = await sent.reply(told);
    expect(reply.text).toContain('lacks Speak');
    expect(reply.text).toMatch(/credits? (was|were) used/);

    shared.server.channel('General').allowBot('Speak');
    const again = await alice.types('/say text:There it is again.');
    expect((await again.reply({ ...ANSWERED, until: ({ text }) => text.includes('Spoken in') })).text).toContain(
      'General',
    );
  });

  it('the permission to connect, for queued items', async () => {
    const { sent } = await speaking(shared.server);
    shared.server.channel('General').denyBot('Connect');
    expect((await sent.reply(told)).text).toContain('lacks Connect');
  });

  it('a moderator’s mute', async () => {
    const { alice, sent } = await speaking(shared.server);
    const olga = shared.server.member('olga');
    olga.serverMutes('bot', true);
    expect((await sent.reply(told)).text).toContain('muted the bot');
    const meanwhile = await (await alice.types('/say text:Can you hear me?')).reply({ ...ANSWERED });
    expect(meanwhile.text).toContain('muted the bot');

    olga.serverMutes('bot', false);
    const again = await alice.types('/say text:And now?');
    expect((await again.reply({ ...ANSWERED, until: ({ text }) => text.includes('Spoken in') })).text).toContain(
      'General',
    );

    olga.timesOut('bot', 60_000);
    const refused = await alice.types('/say text:And in its timeout?');
    expect((await refused.reply({ ...ANSWERED })).text).toContain('given the bot a timeout');
  });

  it('the way back into the audience of a stage; asked again, it takes the floor', async () => {
    shared.server.channel('Stage').allowBot('MuteMembers');
    const alice = shared.server.member('alice');
    alice.joins('Stage');
    const sent = await alice.types(`/say text:${LONG}`);
    await alice.listener.audible(1, ANSWERED);
    shared.server.member('olga').movesToAudience('bot');
    expect((await sent.reply(told)).text).toContain('audience');
    const again = await alice.types('/say text:On stage once more.');
    expect((await again.reply({ ...ANSWERED, until: ({ text }) => text.includes('Spoken in') })).text).toContain(
      'Stage',
    );
  });
});
