import { Collection } from 'discord.js';
import { describe, expect, it, vi } from 'vitest';
import { namesOfMentioned } from '../../../src/discord/messages/mentioned-names.ts';

type Answer = (id: string, signal: AbortSignal) => Promise<unknown>;

function guild(answer: Answer) {
  const get = vi.fn((path: string, { signal }: { signal: AbortSignal }) =>
    answer(path.replace('/guilds/9/members/', ''), signal),
  );
  const cache = new Collection([['1', { displayName: 'Known' }]]);
  return { get, guild: { id: '9', members: { cache }, client: { rest: { get } } } as never };
}

const member = (username: string, global_name: string | null = null, nick?: string) => ({
  nick,
  user: { username, global_name },
});
const { signal } = new AbortController();
/** As of a Discord that answers nothing, until it is called off. */
const never: Answer = (_, given) =>
  new Promise((_resolve, reject) => given.addEventListener('abort', () => reject(given.reason)));

describe('names of mentioned members', () => {
  it('are asked for where they are not known, once each, and are those that Discord shows', async () => {
    const answers = [member('bea', 'Bea', 'Queen Bea'), member('cleo', 'Cleo'), member('dan')];
    const { get, guild: server } = guild(async (id) => answers[Number(id) - 2]);
    const names = await namesOfMentioned(server, '<@1> and <@2>, <@!2>, <@3>, <@4>', { signal });
    expect([...names]).toEqual([
      ['2', 'Queen Bea'],
      ['3', 'Cleo'],
      ['4', 'dan'],
    ]);
    expect(get).toHaveBeenCalledTimes(3);
  });

  it('do not keep a text waiting, nor do members who have left; what comes too late is called off', async () => {
    const { get, guild: server } = guild(async (id, given) => {
      if (id === '2') throw new Error('Unknown Member');
      return id === '3' ? never(id, given) : member('There');
    });
    const names = await namesOfMentioned(server, '<@2> <@3> <@4>', { signal, timeoutMs: 20 });
    expect([...names]).toEqual([['4', 'There']]);
    await expect.poll(() => get.mock.calls.every(([, options]) => options.signal.aborted)).toBe(true);
  });

  it('are called off with the text', async () => {
    const text = new AbortController();
    const { get, guild: server } = guild(never);
    const names = namesOfMentioned(server, '<@2> <@3>', { signal: text.signal });
    text.abort();
    expect((await names).size).toBe(0);
    expect(get.mock.calls.map(([, options]) => options.signal.aborted)).toEqual([true, true]);
  });

  it('are not asked for without a server, without mentions, or for a whole crowd', async () => {
    const { get, guild: server } = guild(async () => member('x'));
    expect((await namesOfMentioned(null, '<@2>', { signal })).size).toBe(0);
    expect((await namesOfMentioned(server, 'nobody', { signal })).size).toBe(0);
    const crowd = Array.from({ length: 50 }, (_, at) => `<@${at + 100}>`).join(' ');
    expect((await namesOfMentioned(server, crowd, { signal })).size).toBe(10);
    expect(get).toHaveBeenCalledTimes(10);
  });

  it('are asked for of few members at once, however many texts there are', async () => {
    const text = new AbortController();
    const { get, guild: server } = guild(never);
    const texts = Array.from({ length: 10 }, (_, at) =>
      namesOfMentioned(server, `<@${at}2> <@${at}3> <@${at}4>`, { signal: text.signal }),
    );
    expect(get).toHaveBeenCalledTimes(20);
    text.abort();
    await Promise.all(texts);
    const another = () => namesOfMentioned(server, '<@77>', { signal, timeoutMs: 10 });
    await expect.poll(() => another().then(() => get.mock.calls.length)).toBeGreaterThan(20);
  });
});
