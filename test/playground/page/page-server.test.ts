import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { FaultBoard } from '../../../src/playground/demo/faults.ts';
import { LogFeed } from '../../../src/playground/page/connection.ts';
import { startPlaygroundPage } from '../../../src/playground/page/page-server.ts';
import type { World } from '../../../src/playground/world/world.ts';
import { openWorld } from '../../discord/logged-in.ts';
import { rawRequest } from '../../loopback-server.ts';

type Page = Awaited<ReturnType<typeof startPlaygroundPage>>;

let world: World;
let page: Page;
const NO_MACHINE = {
  hasOwnSpeech: false,
  restartBot: () => Promise.reject(new Error('There is no bot here')),
  setSpeechFaults: () => Promise.reject(new Error('There is no speech service here')),
};

let feed: LogFeed;
beforeEach(async () => {
  world = await openWorld();
  feed = new LogFeed();
  page = await startPlaygroundPage({ world, faults: new FaultBoard(world, NO_MACHINE), feed }, 0);
});
afterEach(() => page.close());

const origin = () => new URL(page.address()).origin;
const token = () => page.address().replace(/^.*token=/, '');

const signsIn = (by = token(), headers: Record<string, string> = { origin: origin() }) =>
  rawRequest(origin(), 'POST', '/api/sign-in', headers, { token: by });
const signIn = async (): Promise<string> => JSON.parse((await signsIn()).text).session;

/** A connection that has said its session, with what it was told; the close code where it was refused. */
async function connect(session: string) {
  const socket = new WebSocket(`${origin().replace('http', 'ws')}/live`, { headers: { origin: origin() } });
  const told: { tell: string; id?: number; error?: string; value?: unknown }[] = [];
  socket.on('message', (data, isBinary) => {
    if (!isBinary) told.push(JSON.parse(String(data)));
  });
  const closed = once(socket, 'close').then(([code]) => code as number);
  await once(socket, 'open');
  socket.send(JSON.stringify({ session }));
  const act = async (id: number, what: object) => {
    socket.send(JSON.stringify({ id, act: what }));
    await expect.poll(() => told.some((news) => news.id === id)).toBe(true);
    return told.find((news) => news.id === id);
  };
  return { socket, told, closed, act };
}

const LOOK = { do: 'look', as: 'alice', at: 'general' };

describe('the page of the playground as a server', () => {
  test('hands its files to any program of this machine, with nothing secret in them', async () => {
    const { status, headers, text } = await rawRequest(origin(), 'GET', '/');
    expect(status).toBe(200);
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect(headers['content-security-policy']).toContain("require-trusted-types-for 'script'");
    expect(text).not.toContain(token());
    expect((await rawRequest(origin(), 'GET', '/../page-server.ts')).status).toBe(404);
  });

  test('is reached by the names of this machine alone; another site may link to it, and sees nothing of it', async () => {
    const evil = { host: `evil.example:${new URL(origin()).port}` };
    expect((await rawRequest(origin(), 'GET', '/', evil)).status).toBe(403);
    const linked = async (path: string, mode: string, dest: string) => {
      const headers = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': mode, 'sec-fetch-dest': dest };
      return (await rawRequest(origin(), 'GET', path, headers)).status;
    };
    expect(await linked('/', 'navigate', 'document')).toBe(200);
    expect(await linked('/', 'navigate', 'iframe')).toBe(403);
    expect(await linked('/main.js', 'no-cors', 'script')).toBe(403);
    expect(await linked('/api/session', 'navigate', 'document')).toBe(403);
  });

  test('opens once for each address, and for no other site, nor a program that names none', async () => {
    const used = token();
    const headers = { origin: 'https://evil.example' };
    for (const foreign of [{}, headers]) expect((await signsIn(used, foreign)).status).toBe(403);
    expect(await signIn()).toMatch(/^[\w-]{32}$/);
    expect((await signsIn(used)).status).toBe(400);
    expect(token()).not.toBe(used);
    const [error] = await once(new WebSocket(`${origin().replace('http', 'ws')}/live`, { headers }), 'error');
    expect(String(error)).toContain('403');
  });

  test('tells nothing to a connection without a session', async () => {
    const { told, closed } = await connect('wrong');
    expect(await closed).toBe(4401);
    expect(told).toEqual([]);
  });

  test('tells the pages that are open when it ends, and waits for none that stands still', async () => {
    const { closed } = await connect(await signIn());
    const { socket: still, closed: cut } = await connect(await signIn());
    still.pause();
    await page.close();
    expect(await closed).toBe(1001);
    still.resume();
    expect([1006, 1001]).toContain(await cut);
  });

  test('says so where the channel that is looked at was deleted, and goes on', async () => {
    world.newChannel('short', 'text');
    const { told, act } = await connect(await signIn());
    await act(1, { ...LOOK, at: 'short' });
    world.channel('short').delete();
    const problem = () => told.find(({ tell }) => tell === 'problem');
    await expect.poll(problem).toMatchObject({ text: 'There is no channel short' });
    expect(await act(2, LOOK)).toMatchObject({ value: null });
  });

  test('drops a connection that takes nothing for long, instead of keeping all for it', async () => {
    const { socket, closed, act } = await connect(await signIn());
    await act(1, LOOK);
    socket.pause();
    const line = { msg: 'x'.repeat(1024 * 1024) };
    for (let mebibyte = 0; mebibyte < 80; mebibyte += 1) feed.push(line);
    let bytes = 0;
    socket.on('message', (data) => {
      bytes += String(data).length;
    });
    socket.resume();
    expect(await closed).toBe(1006);
    expect(bytes).toBeLessThan(50 * 1024 * 1024);
  });
});
