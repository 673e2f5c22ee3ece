import { describe, expect, it } from 'vitest';
import type { BotLogLine } from '../../src/playground/demo/bot/bot-process.ts';
import type { ServerSettings } from '../../src/services/servers/server-settings.ts';
import { choose } from './reading.ts';
import { LONG, shareScene, speaking, textOf } from './scene.ts';

const shared = await shareScene();

describe('leaving', () => {
  it('a kick ends the text with plain words, and the next one joins again', async () => {
    const { alice, sent } = await speaking(shared.server, `${LONG} Nobody else has said this before.`);
    shared.server.member('olga').disconnects('bot');
    const reply = await sent.reply({ until: (message) => message.ephemeral });
    expect(reply.text).toContain('disconnected');
    expect(reply.text).toMatch(/credits? (was|were) used/);
    const { ledger } = shared.scene.service;
    const { creditsLeft } = ledger.account();
    const retried = await (await alice.presses(reply, 'Try again')).reply();
    expect(retried.text).toMatch(/Spoken in .*Cached, no credits used/s);
    expect(ledger.account().creditsLeft).toBe(creditsLeft);

    const again = await alice.types('/say text:Back again.');
    expect(await textOf(again)).toContain('Spoken in');
  });

  it('the bot removed from the server while it speaks keeps running, and speaks there again once it is back', async () => {
    const { server, scene } = shared;
    const { alice } = await speaking(server);
    server.removeBot();
    await scene.bot.logged((line) => line.msg === 'The bot was removed from a server');
    // Voice and gateway are two connections: either may bring the news first.
    const isEnd = ({ command, guildId, outcome }: BotLogLine) =>
      command === 'say' && guildId === server.guildId && outcome !== undefined;
    expect(['play.server-left', 'play.kicked']).toContain((await scene.bot.logged(isEnd)).reason);

    server.inviteBot();
    await scene.bot.logged((line) => line.msg === 'The bot was added to a server');
    expect(await textOf(alice.types('/say text:Back in the server.'))).toContain('Spoken in');
  });

  it('leaves the channel that the admins no longer allow, and says where it may be', async () => {
    const { server } = shared;
    const [general, lounge] = [server.channel('General'), server.channel('Lounge')];
    const chosen = (settings: ServerSettings) => choose(shared.scene, settings, { server });
    await chosen({ allowedChannels: [general.id, lounge.id] });
    const { sent } = await speaking(server);
    await chosen({ allowedChannels: [lounge.id] });
    await general.hasBot(false);
    expect(await textOf(sent)).toContain('doesn’t speak in #General, only in #Lounge');
    const told = () => server.channel('general').messages.map(({ text }) => text);
    await expect.poll(told).toContainEqual(expect.stringMatching(/^Left #General\. In this server/));

    // An admin, for whom the rule does not hold, may bring it back; it stays there when other rules change.
    await textOf(server.member('olga').types('/join channel:General'));
    await chosen({ allowedChannels: [lounge.id], queueLimit: 5 });
    expect(general.members).toContain('bot');
  });
});
