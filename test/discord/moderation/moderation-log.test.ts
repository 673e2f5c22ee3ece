import { Collection, PermissionFlagsBits, PermissionsBitField } from 'discord.js';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createModerationLog, type SpokenNote } from '../../../src/discord/moderation/moderation-log.ts';
import { rulesOf, type ServerRulesBook } from '../../../src/services/servers/server-rules.ts';
import { render } from '../../../src/texts/catalog.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

interface Message {
  readonly content: string;
  readonly allowedMentions: unknown;
}

function scene({
  chosen = '20',
  permissions = ['ViewChannel', 'SendMessages'] as (keyof typeof PermissionFlagsBits)[],
  localVoice = false,
  seenByAll = false,
} = {}) {
  const sent: Message[] = [];
  const warned: string[] = [];
  const discord = { failure: undefined as Error | undefined, isSilent: false };
  const allowed = { permissions };
  const everyone = { id: '1' };
  const guild = {
    preferredLocale: 'en-US',
    members: { me: undefined as unknown },
    roles: { everyone },
    channels: { cache: new Collection<string, unknown>() },
  };
  const me = { id: 'bot', permissions: new PermissionsBitField(), communicationDisabledUntilTimestamp: 0 };
  const channel = {
    id: '20',
    isSendable: () => true,
    isThread: () => false,
    isDMBased: () => false,
    guild,
    permissionsFor: (whose: unknown) =>
      new PermissionsBitField(
        whose === everyone
          ? seenByAll
            ? PermissionFlagsBits.ViewChannel
            : []
          : allowed.permissions.map((name) => PermissionFlagsBits[name]),
      ),
    send: async (message: Message) => {
      if (discord.isSilent) return new Promise<never>(() => undefined);
      if (discord.failure) throw discord.failure;
      sent.push(message);
    },
  };
  guild.members.me = me;
  guild.channels.cache.set('20', channel);
  const client = { guilds: { cache: new Collection([['1', guild]]) } } as never;
  const log = pino({ level: 'warn' }, { write: (line: string) => void warned.push(line) });
  const rules = {
    known: (guildId: string) => rulesOf(guildId === '1' ? { moderationChannel: chosen } : {}),
  } as ServerRulesBook;
  const moderation = createModerationLog({
    client,
    rules,
    localVoice,
    log,
    now: () => 5_000,
  });
  return { moderation, sent, warned, discord, allowed, me };
}

const note: SpokenNote = {
  guildId: '1',
  userId: '7',
  kind: 'command',
  characters: 12,
  voices: [{ name: 'aria', model: 'gpro' }],
  channelId: '30',
  outcome: 'spoken',
  credits: 5,
};

const SOON_MS = 5_000;

describe('the moderation log', () => {
  it('names the requester, the kind and the channel, without mentions', async () => {
    const { moderation, sent } = scene();
    moderation.note(note);
    moderation.note({ guildId: '1', userId: '8', kind: 'auto-read', characters: 1, outcome: 'blocked' });
    await vi.advanceTimersByTimeAsync(SOON_MS);
    expect(sent.map(({ content }) => content.split('\n'))).toEqual([
      [
        '<t:5:T> <@7>: command, 12 characters, aria (gpro), in <#30>: spoken, 5 credits',
        '<t:5:T> <@8>: read from chat, 1 character: rejected for a blocked word',
      ],
    ]);
    expect(sent[0]?.allowedMentions).toEqual({ parse: [] });
  });

  it('says whether a word was bleeped, who stopped a text, and why it was not spoken', async () => {
    const { moderation, sent } = scene({ localVoice: true });
    moderation.note({ ...note, isBleeped: true });
    moderation.note({ ...note, outcome: 'stopped', by: '9', isBleeped: true });
    moderation.note({ ...note, outcome: 'removed', by: '9' });
    moderation.note({ ...note, outcome: 'failed', cause: 'muted' });
    await vi.advanceTimersByTimeAsync(SOON_MS);
    expect(sent[0]?.content.split('\n').map((line) => line.split('<#30>: ')[1])).toEqual([
      'spoken, with a blocked word bleeped',
      'stopped early by <@9>, with a blocked word bleeped',
      'removed from the queue by <@9>',
      'not spoken in full (the member was muted)',
    ]);
  });

  it('names all voices of a text, up to five', async () => {
    const { moderation, sent } = scene();
    const voices = ['aria', 'basil', 'cleo', 'dora', 'emil', 'fay'].map((name) => ({ name, model: 'gpro' }));
    moderation.note({ ...note, voices: voices.slice(0, 2) });
    moderation.note({ ...note, voices });
    await vi.advanceTimersByTimeAsync(SOON_MS);
    const [two, many] = sent[0]?.content.split('\n') ?? [];
    expect(two).toContain('12 characters, aria (gpro) and basil (gpro), in <#30>');
    expect(many).toContain('dora (gpro), emil (gpro), and 1 more, in <#30>');
  });

  it('names a voice as it is called, without effect as Markdown', async () => {
    const { moderation, sent } = scene();
    moderation.note({
      ...note,
      voices: [{ name: 'af_heart*x (~1)', model: '__kokoro__' }],
      outcome: 'unspoken',
      credits: 0,
    });
    await vi.advanceTimersByTimeAsync(SOON_MS);
    expect(sent[0]?.content).toContain(
      String.raw`af\_heart\*x (~1) (\_\_kokoro\_\_), in <#30>: not spoken, no credits`,
    );
  });

  it('has room for all voices of a text, however long their names are', async () => {
    const { moderation, sent } = scene();
    const voice = { name: '_<@\u0301'.repeat(100), model: '*'.repeat(200) };
    moderation.note({ ...note, voices: Array.from({ length: 6 }, () => voice) });
    await vi.advanceTimersByTimeAsync(SOON_MS);
    expect(sent).toHaveLength(1);
    expect(sent[0]?.content).toMatch(/spoken, 5 credits$/);
    expect(sent[0]?.content.length).toBeLessThanOrEqual(2_000);
  });

  it('sends few messages for many utterances, and counts the omitted lines', async () => {
    const { moderation, sent } = scene();
    for (let count = 0; count < 250; count++) moderation.note(note);
    expect(sent).toEqual([]);
    await vi.advanceTimersByTimeAsync(SOON_MS);
    expect(sent).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(20 * SOON_MS);
    const lines = sent.flatMap(({ content }) => content.split('\n'));
    expect(lines).toHaveLength(201);
    expect(lines.at(-1)).toBe('-# … and 50 more.');
    for (const { content } of sent) expect(content.length).toBeLessThanOrEqual(2_000);
  });

  it('writes the remaining lines when the bot is stopped', async () => {
    const { moderation, sent } = scene();
    for (let count = 0; count < 60; count++) moderation.note(note);
    await moderation.close();
    expect(sent.flatMap(({ content }) => content.split('\n'))).toHaveLength(60);
    await moderation.close();
    moderation.note(note);
    await vi.advanceTimersByTimeAsync(SOON_MS);
    expect(sent.flatMap(({ content }) => content.split('\n'))).toHaveLength(60);
  });

  it('lets the bot stop where Discord does not answer', async () => {
    const { moderation, warned, discord } = scene();
    discord.isSilent = true;
    moderation.note(note);
    const closed = vi.fn();
    void moderation.close().then(closed);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(closed).toHaveBeenCalled();
    expect(warned.join()).toContain('Discord does not answer');
  });

  it('tells the operator once that it may not write, and goes on when it may', async () => {
    const { moderation, sent, warned, allowed } = scene({ permissions: ['ViewChannel'] });
    for (let round = 0; round < 3; round++) {
      moderation.note(note);
      await vi.advanceTimersByTimeAsync(SOON_MS);
    }
    expect(sent).toEqual([]);
    expect(warned).toHaveLength(1);
    const problem = moderation.problem('1');
    expect(problem && render(problem)).toContain('missing View Channel or Send Messages in <#20>');
    allowed.permissions = ['ViewChannel', 'SendMessages'];
    moderation.note(note);
    await vi.advanceTimersByTimeAsync(SOON_MS);
    expect(sent).toHaveLength(1);
    expect(moderation.problem('1')).toBeUndefined();
  });

  it('warns where everyone can read it', () => {
    const problemIn = (seenByAll: boolean) => scene({ seenByAll }).moderation.problem('1');
    expect(problemIn(false)).toBeUndefined();
    const warning = problemIn(true);
    expect(warning && render(warning)).toContain('Everyone in this server can see <#20>');
  });

  it('says that a timeout keeps it from writing, and until when', async () => {
    const { moderation, me } = scene();
    me.communicationDisabledUntilTimestamp = Date.now() + 60_000;
    expect(moderation.problem('1')?.key).toBe('refused.timed-out');
  });

  it('writes into no channel of another server, whatever an imported setting says', async () => {
    const { moderation, sent, warned } = scene({ chosen: '99' });
    moderation.note(note);
    await vi.advanceTimersByTimeAsync(SOON_MS);
    expect(sent).toEqual([]);
    expect(warned).toHaveLength(1);
  });
});
