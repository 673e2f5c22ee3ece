import { Collection, PermissionsBitField, type PermissionsString } from 'discord.js';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { VoiceJoinError } from '../../../src/audio/connection/voice-session-types.ts';
import {
  createModerationLog,
  notesOfReading,
  noteWhenOver,
  type SpokenNote,
} from '../../../src/discord/moderation/moderation-log.ts';
import { DeliveryError, PartError, refusal, UserError } from '../../../src/errors/user-errors.ts';
import { rulesOf, type ServerRulesBook } from '../../../src/services/servers/admission.ts';
import { BlockedWordError } from '../../../src/services/text/blocked-words.ts';
import { SpeechError } from '../../../src/speech/errors.ts';
import { render, text } from '../../../src/texts/catalog.ts';
import { deliveryOf } from '../../services/queue/items.ts';
import { writtenLog } from '../../silent-log.ts';

function scene({
  chosen = '20',
  permissions = ['ViewChannel', 'SendMessages'] as PermissionsString[],
  localVoice = false,
} = {}) {
  const sent: { readonly content: string; readonly allowedMentions: unknown }[] = [];
  const discord = { isSilent: false };
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
    permissionsFor: (whose: unknown) => new PermissionsBitField(whose === everyone ? [] : allowed.permissions),
    send: async (message: (typeof sent)[number]) => {
      if (discord.isSilent) return new Promise<never>(() => undefined);
      sent.push(message);
    },
  };
  guild.members.me = me;
  guild.channels.cache.set('20', channel);
  const client = { guilds: { cache: new Collection([['1', guild]]) } } as never;
  const { log, lines: warned } = writtenLog('warn');
  const rules = {
    known: (guildId: string) => rulesOf(guildId === '1' ? { moderationChannel: chosen } : {}),
  } as ServerRulesBook;
  const moderation = createModerationLog({ client, rules, localVoice, log });
  return { moderation, sent, warned, discord, allowed };
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
  beforeEach(() => void vi.useFakeTimers({ now: 5_000 }));

  it('names the requester, the kind, the channel and up to five voices, without mentions and Markdown', async () => {
    const { moderation, sent } = scene();
    moderation.note(note);
    const message = { userId: '8', kind: 'auto-read', characters: 1, voices: undefined, channelId: null } as const;
    moderation.note({ ...note, ...message, outcome: 'blocked', credits: undefined });
    const voices = ['basil', 'cleo', 'dora', 'emil', 'fay'].map((name) => ({ name, model: 'gpro' }));
    moderation.note({ ...note, voices: [{ name: 'af_heart*x (~1)', model: '__kokoro__' }, ...voices] });
    await vi.advanceTimersByTimeAsync(SOON_MS);
    const named = String.raw`12 characters, af\_heart\*x (~1) (\_\_kokoro\_\_), basil (gpro), `;
    expect(sent.map(({ content }) => content.split('\n'))).toEqual([
      [
        '<t:5:T> <@7>: command, 12 characters, aria (gpro), in <#30>: spoken, 5 credits',
        '<t:5:T> <@8>: read from chat, 1 character: rejected for a blocked word',
        expect.stringContaining(`${named}cleo (gpro), dora (gpro), emil (gpro), and 1 more, in <#30>`),
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

  it('writes the remaining lines when the bot is stopped, and none later', async () => {
    const { moderation, sent } = scene();
    for (let count = 0; count < 60; count++) moderation.note(note);
    await moderation.close();
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
    expect(JSON.stringify(warned)).toContain('Discord does not answer');
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

  it('writes into no channel of another server, whatever an imported setting says', async () => {
    const { moderation, sent, warned } = scene({ chosen: '99' });
    moderation.note(note);
    await vi.advanceTimersByTimeAsync(SOON_MS);
    expect(sent).toEqual([]);
    expect(warned).toHaveLength(1);
  });
});

const delivery = deliveryOf({ creditsUsed: 5, cached: false });

function noting(ids?: readonly string[]) {
  const notes: SpokenNote[] = [];
  const moderation = {
    note: (one: SpokenNote) => void notes.push(one),
    problem: () => undefined,
    close: async () => {},
  };
  const list = ids?.map((id) => ({ id, name: id, model: 'gpro' }));
  const voices = { known: () => list && { voices: list, models: [], fetchedAtMs: 0 } } as never;
  return { notes, services: { moderation, voices } };
}

const start = { guildId: '1', userId: '7', kind: 'command', characters: 3, channelId: null } as const;
const unspoken = (cause: unknown, wasHeard = false, kind: 'none' | 'unknown' = 'none') =>
  new DeliveryError('30', { kind }, cause, wasHeard);

describe('what is noted', () => {
  it('of a message that was read is its length, its voices, once each, and where it was heard, never its words', async () => {
    const { notes, services } = noting(['aria', 'basil']);
    const by = (voiceId: string) => ({ input: 'x', voice: { kind: 'id', voiceId } });
    const message = { guildId: '1', channelId: '20', author: { id: '7' }, content: '**secret**' };
    const request = { input: 'secret', voice: by('aria').voice, passages: [by('aria'), by('basil'), by('aria')] };
    const reading = notesOfReading(services);
    const item = () => ({ requested: { request, isBleeped: true } });
    reading.onRead(message as never, { item, delivery: Promise.resolve(delivery) } as never, undefined);
    await expect.poll(() => notes).toHaveLength(1);
    reading.onBlocked(message as never);
    const [read, blocked] = notes;
    expect(read?.voices?.map(({ name }) => name)).toEqual(['aria', 'basil']);
    expect({ ...read, voices: undefined }).toEqual({
      ...{ guildId: '1', userId: '7', kind: 'auto-read', characters: 6, channelId: '30' },
      ...{ outcome: 'spoken', credits: 5, isBleeped: true },
    });
    expect(blocked).toMatchObject({ userId: '7', kind: 'auto-read', characters: 10, outcome: 'blocked', credits: 0 });
    expect(JSON.stringify(notes)).not.toContain('secret');
  });

  it('names the voice that spoke in the place of another, where that is known', async () => {
    const { notes, services } = noting(['local']);
    for (const heard of ['local', 'unknown']) {
      const speech = { ...delivery.speech, speakers: [{ asked: 'af', heard }] };
      const over = Promise.resolve({ ...delivery, speech });
      noteWhenOver(services, { ...start, voices: [{ name: 'af', model: 'kokoro' }] }, over);
    }
    await expect.poll(() => notes).toHaveLength(2);
    expect(notes.map((one) => one.voices?.map(({ name }) => name))).toEqual([['local'], ['af']]);
    expect(notes[0]).not.toHaveProperty('speakers');
  });

  it('says what is known of the cost of a text that was not played to its end, or not at all', async () => {
    const { notes, services } = noting();
    const cause = new UserError(refusal('connection-lost', { heard: 'nothing' }));
    for (const failure of [unspoken(cause, true), unspoken(cause, true, 'unknown'), unspoken(cause)])
      noteWhenOver(services, start, Promise.reject(failure));
    await expect
      .poll(() => notes)
      .toEqual([
        { ...start, outcome: 'failed', cause: 'connection', credits: 0 },
        { ...start, outcome: 'failed', cause: 'connection', credits: undefined },
        { ...start, outcome: 'unspoken', cause: 'connection', credits: 0 },
      ]);
    notes.length = 0;
    for (const creditsUsed of [0, 5]) {
      const speech = { ...delivery.speech, creditsUsed, mayBeMore: true as const };
      noteWhenOver(services, start, Promise.resolve({ ...delivery, outcome: 'stopped', speech }));
    }
    // Stopped during its request, it is not noted as free.
    const stopped = { ...start, outcome: 'stopped', channelId: '30' };
    await expect.poll(() => notes).toEqual([stopped, { ...stopped, credits: 5 }]);
  });

  it.each([
    [new UserError(refusal('member-muted')), 'muted'],
    [new BlockedWordError(text('blocked.refused', { rule: 'darn' })), 'blocked'],
    [new VoiceJoinError('disconnected', 'No'), 'kicked'],
    [new PartError(2, 3, new SpeechError({ kind: 'server-error', message: 'No' })), 'speech'],
    [new UserError(refusal('lost-audio', { when: 'soon' })), 'speech'],
    [new UserError(refusal('unanswered')), undefined],
  ])('says why a text was not spoken: %s', async (reason, cause) => {
    const { notes, services } = noting();
    noteWhenOver(services, start, Promise.reject(unspoken(reason)));
    await expect.poll(() => notes).toEqual([{ ...start, outcome: 'unspoken', cause, credits: 0 }]);
  });

  it('is nothing yet of a text that comes back after the next start', async () => {
    const { notes, services } = noting();
    for (const comesBack of [true, false])
      noteWhenOver(services, start, Promise.reject(unspoken(new UserError(refusal('stopping')))), {
        comesBack,
      } as never);
    await expect.poll(() => notes).toEqual([{ ...start, outcome: 'unspoken', cause: 'stopping', credits: 0 }]);
  });
});
