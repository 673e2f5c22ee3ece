import { ChannelType, Collection, PermissionFlagsBits, PermissionsBitField } from 'discord.js';
import { describe, expect, it } from 'vitest';
import type { ChatCommand, CommandCall, CompletionCall } from '../../../src/commands/framework/command.ts';
import { pause, queue, resume, skip, stop } from '../../../src/commands/playback/queue.ts';
import { replay } from '../../../src/commands/playback/replay.ts';
import { saveButton } from '../../../src/commands/say/files.ts';
import { DeliveryError, UserError } from '../../../src/errors/user-errors.ts';
import type { ReplayRequest, Stop } from '../../../src/services/playback/guild-speaker-types.ts';
import { createFilesUnderWay } from '../../../src/services/playback/guild-speakers.ts';
import type { QueueItem, QueueView } from '../../../src/services/queue/queue-item.ts';
import { createTextCooldown } from '../../../src/services/servers/cooldowns.ts';
import { rulesOf } from '../../../src/services/servers/server-rules.ts';
import type { ServerSettings } from '../../../src/services/servers/server-settings.ts';
import { render, text } from '../../../src/texts/catalog.ts';
import { itemOf, orderOf, requestedOf } from '../../services/queue/items.ts';
import { replyOf } from '../reply-of.ts';
import { servicesOf } from '../services.ts';

const item = (id: string, userId: string, channelId: string, state: QueueItem['state'] = 'waiting'): QueueItem =>
  itemOf({ id, order: orderOf({ userId }), channelId, requested: requestedOf(`words of ${id}`), state });

interface Circumstances {
  readonly current?: QueueItem;
  readonly waiting?: readonly QueueItem[];
  /** The latest first. */
  readonly recent?: readonly QueueItem[];
  readonly latestNotKept?: QueueView['latestNotKept'];
  readonly isModerator?: boolean;
  readonly isPaused?: boolean;
  /** Members that are in #hall. */
  readonly there?: readonly string[];
  readonly rules?: ServerSettings;
  /** How the first replays end instead of being heard. */
  readonly failures?: Error[];
}

const EVERYONE = { id: '9' };
const NOTHING = new PermissionsBitField();

/** A command of bob in a server with #hall, which everybody may enter, and #board, which has a padlock for him, #vault, which he does not see, and #den, which he alone may enter. */
function asked({ rules = { cooldownSeconds: 30 }, ...circumstances }: Circumstances) {
  const {
    current,
    waiting = [],
    recent = [],
    latestNotKept,
    isModerator = false,
    isPaused = false,
    there = [],
    failures = [],
  } = circumstances;
  const [replayed, skipped]: [string[], (string | undefined)[]] = [[], []];
  const replays: ReplayRequest[] = [];
  const stops: Stop[] = [];
  const speaker = {
    queue: (): QueueView => ({
      isPaused,
      current,
      waiting: waiting.map((one, index) => ({ ...one, position: index + 1 })),
      recent,
      latestNotKept,
    }),
    occupiedElsewhere: () => false,
    find: (id: string) => [...(current ? [current] : []), ...waiting, ...recent].find((one) => one.id === id),
    spoken: () => undefined,
    replay(asked: ReplayRequest) {
      const { itemId } = asked;
      replays.push(asked);
      replayed.push(itemId);
      const again = recent.find(({ id }) => id === itemId);
      const delivery = { outcome: 'finished', channelId: 'hall', speech: {} };
      const failure = failures.shift();
      const over = failure ? Promise.reject(failure) : Promise.resolve(delivery);
      return { delivery: over, item: () => again, onChanged: () => () => undefined };
    },
    skip(id?: string) {
      skipped.push(id);
      return current;
    },
    stop: () => ({ stopped: true, dropped: waiting.length }),
    stopWhatComes: (stop: Stop) => stops.push(stop),
    isPaused,
    pause: () => (isPaused ? 'already-paused' : 'paused'),
    resume: () => undefined,
  };
  const channel = (id: string, rights: bigint) => ({
    id,
    type: ChannelType.GuildVoice,
    guild: { voiceAdapterCreator: () => undefined },
    permissionsFor: () => new PermissionsBitField(rights),
  });
  const hall = channel('hall', PermissionFlagsBits.ViewChannel | PermissionFlagsBits.Connect);
  const board = channel('board', PermissionFlagsBits.ViewChannel);
  const vault = channel('vault', PermissionFlagsBits.Connect);
  const den = {
    ...hall,
    id: 'den',
    permissionsFor: (who: unknown) => (who === EVERYONE ? NOTHING : hall.permissionsFor()),
  };
  const call = {
    interaction: {
      inCachedGuild: () => true,
      guildId: '9',
      channelId: '8',
      channel: channel('8', PermissionFlagsBits.ViewChannel),
      user: { id: 'bob' },
      member: { voice: { channel: hall } },
      memberPermissions: new PermissionsBitField(isModerator ? PermissionFlagsBits.MoveMembers : 0n),
      guild: {
        id: '9',
        members: { me: null },
        voiceStates: { cache: new Map(there.map((id) => [id, { channelId: 'hall' }])) },
        channels: { cache: new Map([hall, board, vault, den].map((one) => [one.id, one])) },
        roles: { cache: new Collection([['9', EVERYONE]]) },
      },
      options: { getString: () => null },
    },
    services: servicesOf({
      files: createFilesUnderWay(),
      speakers: { find: () => speaker, of: () => speaker },
      unspoken: { keep: () => undefined },
      moderation: { note: () => undefined },
      texts: { blockedInRequest: async () => undefined },
      settings: { of: async () => rulesOf(rules) },
      cooldown: createTextCooldown(() => 0),
    }),
    askedAtMs: 0,
    answered: Promise.resolve(),
    signal: new AbortController().signal,
  } as unknown as CommandCall;
  return { call, replayed, replays, skipped, stops };
}

const linesOf = async (command: ChatCommand, call: CommandCall) =>
  (await replyOf(command, call)).lines.map((line) => render(line));

describe('what is said in a voice channel that somebody cannot enter', () => {
  it('is in /queue without its words, unless it is their own', async () => {
    const current = item('a', 'ann', 'board', 'speaking');
    const waiting = [item('b', 'bob', 'board'), item('c', 'ann', 'hall'), item('d', 'ann', 'vault')];
    expect(await linesOf(queue, asked({ current, waiting }).call)).toEqual([
      'Now: <@ann>: in a voice channel you can’t join',
      '1. <@bob>: “words of b”',
      '2. <@ann>: “words of c”',
      '3. <@ann>: in a voice channel you can’t join',
    ]);
  });

  it('is not what /replay speaks again: the latest that they could have heard is', async () => {
    const recent = [item('a', 'ann', 'board', 'done'), item('b', 'ann', 'hall', 'done')];
    const { call, replayed } = asked({ recent });
    expect(await linesOf(replay, call)).toContain('Replayed in <#hall>: “words of b”');
    expect(replayed).toEqual(['b']);
    const own = asked({ recent: [item('c', 'bob', 'board', 'done'), ...recent] });
    await replyOf(replay, { ...own.call, askedAtMs: 5 });
    expect(own.replays).toMatchObject([{ itemId: 'c', askedAtMs: 5 }]);
  });

  it('is spoken again by /replay for whoever may enter, without its words for those who may not', async () => {
    const recent = [item('a', 'ann', 'den', 'done')];
    expect(await linesOf(replay, asked({ recent }).call)).toContain('Replayed in <#hall>: “…”');
    const own = [item('b', 'bob', 'den', 'done')];
    expect(await linesOf(replay, asked({ recent: own }).call)).toContain('Replayed in <#hall>: “words of b”');
  });

  it('is spoken of by /replay, where it was stopped and is not kept, only to those who may enter', async () => {
    const recent = [item('b', 'ann', 'hall', 'done')];
    const said = (channelId: string) =>
      linesOf(replay, asked({ recent, latestNotKept: { order: { userId: 'ann' }, channelId } }).call);
    expect((await said('hall')).at(-1)).toBe(
      '-# The latest text was stopped before it was fully generated, so this is the one before it.',
    );
    expect((await said('board')).join()).not.toContain('latest');
  });

  it('is not spoken again by the button below it either, nor is it saved', async () => {
    const recent = [item('a', 'ann', 'board', 'done'), item('b', 'ann', 'hall', 'done')];
    const { call, replayed } = asked({ recent });
    const pressed = (argument: string) => ({ ...call, argument, values: [], fields: {} });
    for (const control of [...(replay.controls ?? []), saveButton]) {
      await expect(async () => control.begin(pressed('a') as never)).rejects.toMatchObject({
        text: { key: 'replay.unseen' },
      });
      await control.begin(pressed('b') as never);
    }
    expect(replayed).toEqual(['b']);
  });

  it('is not spoken again within the break that admins want between two texts', async () => {
    const { call, replayed } = asked({ recent: [item('b', 'ann', 'hall', 'done')] });
    await replyOf(replay, call);
    await expect(replyOf(replay, call)).rejects.toMatchObject({ text: { key: 'refused.server-cooldown' } });
    expect(replayed).toEqual(['b']);
  });

  it('is spoken again five times in ten seconds at most, as any text', async () => {
    const { call, replayed } = asked({ recent: [item('b', 'ann', 'hall', 'done')], rules: {} });
    for (let times = 0; times < 5; times += 1) await replyOf(replay, call);
    await expect(replyOf(replay, call)).rejects.toMatchObject({ text: { key: 'refused.too-many-texts' } });
    expect(replayed).toHaveLength(5);
  });

  it('does not count as spoken again where that was refused after it was accepted', async () => {
    const nobody = new DeliveryError('hall', { kind: 'none' }, new UserError(text('replay.gone')));
    const { call, replayed } = asked({ recent: [item('b', 'ann', 'hall', 'done')], failures: [nobody, nobody] });
    for (let times = 0; times < 2; times += 1) await expect(replyOf(replay, call)).rejects.toBe(nobody);
    await replyOf(replay, call);
    await expect(replyOf(replay, call)).rejects.toMatchObject({ text: { key: 'refused.server-cooldown' } });
    expect(replayed).toHaveLength(3);
  });

  it('is gone for /replay where nothing else was spoken', () => {
    const { call, replayed } = asked({ recent: [item('a', 'ann', 'board', 'done')] });
    expect(() => replay.begin(call)).toThrow(new UserError(text('replay.nothing')));
    expect(render(text('replay.nothing'))).toContain('if they were fully generated');
    expect(replayed).toEqual([]);
  });
});

describe('/skip, which is answered where everybody may read it', () => {
  it('gives nobody else’s words away, also by one who may enter their voice channel', async () => {
    const { call } = asked({ current: item('a', 'ann', 'hall', 'waiting'), isModerator: true });
    expect(await linesOf(skip, call)).toEqual(['Removed a text by <@ann> from the queue.']);
  });

  it('tells one’s own', async () => {
    const { call } = asked({ current: item('a', 'bob', 'hall', 'waiting') });
    expect(await linesOf(skip, call)).toEqual(['Removed from the queue: “words of a”']);
  });
});

describe('/stop', () => {
  it('ends one’s own and what was left behind, says how many that were, and lets the others go on', async () => {
    const current = item('a', 'gone', 'hall', 'speaking');
    const waiting = [item('b', 'ann', 'hall'), item('c', 'gone', 'hall')];
    const { call, skipped } = asked({ current, waiting, there: ['ann', 'bob'] });
    expect(await linesOf(stop, call)).toEqual(['Removed your 2 texts.']);
    expect(skipped).toEqual(['c', 'a']);
  });

  it('says where one has no text that there is none, and whose is spoken', async () => {
    const { call, skipped } = asked({ current: item('a', 'ann', 'hall', 'speaking'), there: ['ann', 'bob'] });
    const refused = await linesOf(stop, call).catch((error: UserError) => render(error.text));
    expect(refused).toMatch(/^You have no text here to stop\. Only <@ann> or a moderator can/);
    expect(skipped).toEqual([]);
  });
});

describe('/skip position', () => {
  const waiting = [
    item('b', 'ann', 'hall'),
    item('c', 'bob', 'hall'),
    item('d 2', 'bob', 'hall'),
    item('e', 'ann', 'board'),
  ];
  const present = {
    ...{ current: item('a', 'bob', 'hall', 'speaking'), waiting, recent: [item('over', 'bob', 'hall', 'skipped')] },
    there: ['ann', 'bob'],
  };

  function skipping(position: string, isModerator = true) {
    const { call, skipped } = asked({ ...present, isModerator });
    Object.assign(call.interaction, { options: { getString: () => position, getFocused: () => position } });
    return { call, skipped };
  }
  const suggested = (typed: string, isModerator?: boolean) =>
    skip.complete?.(skipping(typed, isModerator).call as unknown as CompletionCall);

  it('is suggested with the start of each text that one may remove', async () => {
    const [anns, own, other] = [
      { name: '1. “words of b”', value: 'b' },
      { name: '2. “words of c”', value: 'c' },
      { name: '3. “words of d 2”', value: 'd 2' },
    ];
    expect(await suggested('', false)).toEqual([own, other]);
    expect(await suggested('')).toEqual([
      anns,
      own,
      other,
      { name: '4. in a voice channel you can’t join', value: 'e' },
    ]);
    expect(await suggested('2')).toEqual([own]);
    expect(await suggested('OF C')).toEqual([own]);
  });

  it('removes the text of the suggestion that was picked, wherever it stands by now, and no other', async () => {
    const { call, skipped } = skipping('c');
    await linesOf(skip, call);
    expect(skipped).toEqual(['c']);
    for (const gone of ['over', 'never there']) {
      await expect(linesOf(skip, skipping(gone).call)).rejects.toMatchObject({ text: { key: 'skip.gone' } });
    }
  });

  it('may be typed as a number', async () => {
    const { call, skipped } = skipping(' 2 ');
    await linesOf(skip, call);
    expect(skipped).toEqual(['c']);
    const beyond = { text: { key: 'skip.no-such', values: { position: 5 } } };
    await expect(linesOf(skip, skipping('5').call)).rejects.toMatchObject(beyond);
  });
});

describe.each([
  { command: pause, isPaused: false, done: 'Paused. Use /resume to continue.' },
  { command: resume, isPaused: true, done: 'Resumed.' },
])('/$command.name', ({ command, isPaused, done }) => {
  it('is for whoever asked for the text, and for moderators', async () => {
    const own = asked({ current: item('a', 'bob', 'hall'), isPaused, there: ['ann', 'bob'] });
    expect(await linesOf(command, own.call)).toEqual([done]);
    const moderators = asked({ current: item('a', 'ann', 'hall'), isPaused, there: ['ann', 'bob'], isModerator: true });
    expect(await linesOf(command, moderators.call)).toEqual([done]);
  });

  it('is refused to those who only listen, until its asker has gone', async () => {
    const current = item('a', 'ann', 'hall');
    const { call } = asked({ current, isPaused, there: ['ann', 'bob'] });
    const notYours = { text: { key: 'skip.not-yours', values: { member: '<@ann>' } } };
    await expect(linesOf(command, call)).rejects.toMatchObject(notYours);
    expect(await linesOf(command, asked({ current, isPaused, there: ['bob'] }).call)).toEqual([done]);
  });
});

describe('/resume where nothing is paused', () => {
  it('says so, whoever’s text is being spoken', async () => {
    const nothing = { text: { key: 'resume.nothing' } };
    const { call } = asked({ current: item('a', 'ann', 'hall', 'speaking'), there: ['ann', 'bob'] });
    await expect(linesOf(resume, call)).rejects.toMatchObject(nothing);
    await expect(linesOf(resume, asked({}).call)).rejects.toMatchObject(nothing);
  });
});

it('/stop where nothing is spoken yet ends what was asked for before it: one’s own, or everybody’s by a moderator', () => {
  for (const isModerator of [false, true]) {
    const { call, stops } = asked({ isModerator });
    expect(() => stop.begin({ ...call, askedAtMs: 5 })).toThrow(new UserError(text('stop.nothing')));
    expect(stops).toEqual([{ askedAtMs: 5, byUserId: 'bob', isOfAll: isModerator }]);
  }
});
