import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkDiscord, checkReach, type LiveSettings } from '../../src/doctor/discord.ts';
import { startWorld, type World } from '../../src/playground/world/world.ts';
import { serverThat } from '../loopback-server.ts';

let world: World;
beforeEach(async () => {
  world = await startWorld();
});
afterEach(() => world.close());

function check(changes: Partial<LiveSettings> = {}) {
  const { DISCORD_TOKEN: token, DISCORD_API_URL: url } = world.botEnv;
  const settings = { token, apiUrl: new URL(url), readsMessages: false, allowedServers: undefined, ...changes };
  return checkDiscord(settings, AbortSignal.timeout(20_000));
}

const verdictsOf = (findings: Awaited<ReturnType<typeof check>>) =>
  findings.map(({ subject, verdict }) => `${subject} ${verdict}`).join(', ');

async function discordOf(answerTo: (url: string) => unknown, headers = {}): Promise<URL> {
  const url = await serverThat(({ url: asked = '' }, response) => {
    const answer = answerTo(asked);
    response.writeHead(answer ? 200 : 404, headers);
    response.end(JSON.stringify(answer ?? {}));
  });
  return new URL(url);
}

async function finding(subject: string, changes?: Partial<LiveSettings>) {
  return (await check(changes)).find((candidate) => candidate.subject === subject);
}

describe('the doctor, asking Discord', () => {
  it('tells what it found, and changes nothing', async () => {
    const findings = await check();
    expect(verdictsOf(findings)).toBe('Discord good, logins good, gateway good, commands attention, servers good');
    expect(world.restCalls.map(({ method }) => method).filter((method) => method !== 'GET')).toEqual([]);
    expect(world.bot.identifies).toBe(0);
    expect(JSON.stringify(findings)).not.toContain(world.botEnv.DISCORD_TOKEN);
  });

  it('stops at a token that Discord refuses: more refusals would be held against this address', async () => {
    const findings = await check({ token: 'MTAwMDAwMDAwMDAwMDAwMDAx.not.valid' });
    expect(findings).toMatchObject([{ subject: 'Discord', verdict: 'blocking', found: 'refuses the token (401)' }]);
    expect(world.restCalls).toHaveLength(1);
  });

  it('says where the Message Content Intent is switched on', async () => {
    expect(await finding('READ_MESSAGES', { readsMessages: true })).toMatchObject({
      verdict: 'blocking',
      remedy: expect.stringContaining('Message Content Intent'),
    });
    await world.close();
    world = await startWorld({ privilegedIntents: ['MessageContent'] });
    expect(await finding('READ_MESSAGES', { readsMessages: true })).toBeUndefined();
  });

  it('names the servers in which the bot may not speak', async () => {
    const server = world.newServer('Silent');
    server.setBotPermissions(['ViewChannel', 'Connect']);
    server.setRolePermissions('@everyone', []);
    expect(await finding('permissions')).toMatchObject({ verdict: 'attention', found: 'missing in Silent (Speak)' });
  });

  it('names the servers that are not in ALLOWED_SERVERS, with their ids', async () => {
    const { guildId } = world;
    expect(await finding('servers', { allowedServers: ['123456789012345678'] })).toMatchObject({
      verdict: 'attention',
      found: `none of the bot's 1 is in ALLOWED_SERVERS: it is in Playground (${guildId})`,
      remedy: 'Check the ids in ALLOWED_SERVERS.',
    });
    const strangers = world.newServer('Strangers');
    expect(await finding('ALLOWED_SERVERS', { allowedServers: [guildId] })).toMatchObject({
      verdict: 'attention',
      found: `lacks Strangers (${strangers.guildId})`,
      means: 'The bot leaves these servers at its next start.',
    });
    expect(await finding('ALLOWED_SERVERS', { allowedServers: [guildId, strangers.guildId] })).toBeUndefined();
  });

  it('keeps what it found when one request is refused, or the gateway takes no connection', async () => {
    world.faults.rest({ path: /\/commands$/, answer: 403 });
    world.faults.refuseGateway(true);
    const verdicts = verdictsOf(await check());
    expect(verdicts).toBe('Discord good, logins good, gateway blocking, commands blocking, servers good');
  });

  it('says how Discord failed, and that it cannot be reached', async () => {
    world.faults.rest({ path: /^\/users\/@me$/, answer: 503 });
    const blocking = { subject: 'Discord', verdict: 'blocking' };
    expect(await check()).toMatchObject([{ ...blocking, found: 'GET /users/@me was answered 503' }]);
    expect(await check({ apiUrl: new URL('http://127.0.0.1:9') })).toMatchObject([blocking]);
  });

  it('says that Cloudflare refuses the address, and asks nothing more', async () => {
    const found = expect.stringMatching(/^Cloudflare, in front of Discord, .*429/);
    const told = [{ subject: 'Discord', verdict: 'blocking', found }];
    world.faults.rest({ path: /^\/gateway$/, answer: 429 });
    const apiUrl = new URL(world.botEnv.DISCORD_API_URL);
    expect([await checkReach(apiUrl, AbortSignal.timeout(10_000))]).toMatchObject(told);
    world.faults.rest({ path: /^\/users\/@me$/, answer: 429 });
    expect(await check()).toMatchObject(told);
  });

  it('sees a clock that is wrong, and commands that go to a web address instead of the bot', async () => {
    const answers: Record<string, unknown> = {
      '/v10/users/@me': { username: 'Crier' },
      '/v10/applications/@me': { id: '1', interactions_endpoint_url: 'https://old.example/interactions' },
      '/v10/gateway/bot': {
        url: world.botEnv.DISCORD_API_URL.replace(/^https/, 'wss'),
        shards: 2,
        session_start_limit: { total: 1000, remaining: 1, reset_after: 90_000 },
      },
      '/v10/applications/1/commands': [{ name: 'say' }],
      '/v10/users/@me/guilds?limit=200': [],
    };
    const date = new Date(Date.now() + 60_000).toUTCString();
    const findings = await check({ apiUrl: await discordOf((url) => answers[url], { date }) });
    const found = Object.fromEntries(findings.map(({ subject, ...rest }) => [subject, rest]));
    expect(found.clock).toMatchObject({ verdict: 'attention', found: expect.stringMatching(/^(59|60) s behind/) });
    expect(found.interactions).toMatchObject({ verdict: 'blocking' });
    expect(found.logins).toMatchObject({ found: '1 of 1000 logins left today, 2 shards', remedy: 'Wait 2 minutes.' });
    expect(found.servers).toMatchObject({ verdict: 'attention', found: 'the bot is in none' });
  });

  it('judges ALLOWED_SERVERS by all servers, which Discord lists 200 at a time', async () => {
    const ids = Array.from({ length: 201 }, (_, index) => String(100000000000000000n + BigInt(index)));
    const guilds = ids.map((id) => ({ id, name: `Server ${id}`, permissions: '8' }));
    const apiUrl = await discordOf((url) => {
      const { pathname, searchParams } = new URL(url, 'http://localhost');
      if (pathname === '/v10/users/@me') return { username: 'Crier' };
      if (!pathname.endsWith('/guilds')) return undefined;
      return guilds.filter(({ id }) => BigInt(id) > BigInt(searchParams.get('after') ?? '0')).slice(0, 200);
    });
    const last = await finding('servers', { apiUrl, allowedServers: ids.slice(-1) });
    expect(last).toMatchObject({ verdict: 'good', found: 'the bot is in one' });
  });
});
