import { ChannelType, Collection, PermissionFlagsBits, PermissionsBitField } from 'discord.js';
import { describe, expect, it } from 'vitest';
import type { ChatCommand, CompletionCall, ControlCall } from '../../../src/commands/framework/command.ts';
import { leave } from '../../../src/commands/playback/join.ts';
import { pause, queue, resume, skip, stop } from '../../../src/commands/playback/queue.ts';
import { replay } from '../../../src/commands/playback/replay.ts';
import { saveButton } from '../../../src/commands/say/files.ts';
import { DeliveryError, UserError } from '../../../src/errors/user-errors.ts';
import { createFilesUnderWay } from '../../../src/services/playback/guild-speakers.ts';
import type { ReplayRequest, Stop } from '../../../src/services/playback/speaker-queue.ts';
import type { QueueItem, QueueView } from '../../../src/services/queue/queue-item.ts';
import { createTextCooldown, rulesOf } from '../../../src/services/servers/admission.ts';
import type { ServerSettings } from '../../../src/services/servers/server-settings.ts';
import { text } from '../../../src/texts/catalog.ts';
import { deliveryOf, itemOf, orderOf, requestedOf } from '../../services/queue/items.ts';
import { callOf, linesOf, replyOf, submissionOf } from '../scene.ts';

const item = (id: string, userId: string, channelId = 'hall', state: QueueItem['state'] = 'waiting'): QueueItem =>
  itemOf({ id, order: orderOf({ userId }), channelId, requested: requestedOf(`words of ${id}`), state });

const EVERYONE = { id: '9' };
const SEEN = PermissionFlagsBits.ViewChannel;
const OPEN = SEEN | PermissionFlagsBits.Connect;

/**
 * A command of bob in a server with #hall, which everybody may enter, and #board, which has a padlock for him, #vault,
 * which he does not see, and #den, which he alone may enter. Members are `there` in #hall, and the bot in `botIn`. The
 * latest of the `recent` texts is the first, and `failures` end the first replays.
 */
function asked({
  current = undefined as QueueItem | undefined,
  waiting = [] as QueueItem[],
  recent = [] as readonly QueueItem[],
  isModerator = false,
  isPaused = false,
  there = [] as readonly string[],
  rules = { cooldownSeconds: 30 } as ServerSettings,
  failures = [] as Error[],
  botIn = undefined as string | undefined,
  typed = null as string | null,
}) {
  const skipped: (string | undefined)[] = [];
  const [replays, stops, left]: [ReplayRequest[], Stop[], unknown[]] = [[], [], []];
  const speaker = {
    channelId: botIn,
    isPaused,
    queue: (): QueueView => ({
      ...{ isPaused, current, recent },
      waiting: waiting.map((one, index) => ({ ...one, position: index + 1 })),
    }),
    occupiedElsewhere: () => false,
    find: (id: string) => [...(current ? [current] : []), ...waiting, ...recent].find((one) => one.id === id),
    spoken: () => undefined,
    replay(request: ReplayRequest) {
      replays.push(request);
      const failure = failures.shift();
      const heard = deliveryOf({}, { channelId: 'hall' });
      const replayed = recent.find(({ id }) => id === request.itemId) as QueueItem;
      return submissionOf(replayed, failure ? Promise.reject(failure) : Promise.resolve(heard));
    },
    skip(id?: string) {
      skipped.push(id);
      return current;
    },
    stop: () => waiting.length,
    stopWhatComes: (request: Stop) => stops.push(request),
    pause: () => (isPaused ? 'already-paused' : 'paused'),
    resume: () => undefined,
    leave: async (userId: string) => void left.push(userId),
  };
  const channel = (id: string, rights: bigint, rightsOfAll = rights) => ({
    isThread: () => false,
    ...{ id, type: ChannelType.GuildVoice, guild: { voiceAdapterCreator: () => undefined } },
    permissionsFor: (who: unknown) => new PermissionsBitField(who === EVERYONE ? rightsOfAll : rights),
  });
  const hall = channel('hall', OPEN);
  const channels = [hall, channel('board', SEEN), channel('vault', OPEN & ~SEEN), channel('den', OPEN, 0n)];
  const permissions = new PermissionsBitField(isModerator ? PermissionFlagsBits.MoveMembers : 0n);
  const call = callOf(
    {
      ...{ channelId: '8', user: { id: 'bob' }, channel: channel('8', SEEN) },
      member: { voice: { channel: hall, channelId: 'hall' }, permissions, roles: { cache: new Map() } },
      memberPermissions: permissions,
      guild: {
        ...{ id: '9', members: { me: null } },
        voiceStates: { cache: new Map(there.map((id) => [id, { channelId: 'hall' }])) },
        channels: { cache: new Map(channels.map((one) => [one.id, one])) },
        roles: { cache: new Collection([['9', EVERYONE]]) },
      },
      options: { getString: () => typed, getFocused: () => typed },
    },
    {
      files: createFilesUnderWay(),
      speakers: { find: () => speaker, of: () => speaker },
      unspoken: { keep: () => undefined },
      moderation: { note: () => undefined },
      texts: { blockedInRequest: async () => undefined },
      settings: { of: async () => rulesOf(rules), known: () => rulesOf(rules) },
      cooldown: createTextCooldown(() => 0),
    },
    { askedAtMs: 5 },
  );
  return { call, replays, skipped, stops, left, replayed: () => replays.map(({ itemId }) => itemId) };
}

type Circumstances = Parameters<typeof asked>[0];

const wordsOf = (command: ChatCommand, circumstances: Circumstances) => linesOf(command, asked(circumstances).call);

describe('what is said in a voice channel that somebody cannot enter', () => {
  const secret = item('a', 'ann', 'board', 'done');
  const heard = item('b', 'ann', 'hall', 'done');

  it('is in /queue without its words, unless it is their own', async () => {
    const waiting = [item('b', 'bob', 'board'), item('c', 'ann'), item('d', 'ann', 'vault')];
    expect(await wordsOf(queue, { current: item('a', 'ann', 'board', 'speaking'), waiting })).toEqual([
      'Now: <@ann>: in a voice channel you can’t join',
      '1. <@bob>: “words of b”',
      '2. <@ann>: “words of c”',
      '3. <@ann>: in a voice channel you can’t join',
    ]);
  });

  it('is not what /replay speaks again: the latest that they could have heard is', async () => {
    const { call, replayed } = asked({ recent: [secret, heard] });
    expect(await linesOf(replay, call)).toContain('Replayed in <#hall>: “words of b”');
    expect(replayed()).toEqual(['b']);
    const own = asked({ recent: [item('c', 'bob', 'board', 'done'), secret, heard] });
    await replyOf(replay, own.call);
    expect(own.replays).toMatchObject([{ itemId: 'c', askedAtMs: 5 }]);
    const none = asked({ recent: [secret] });
    expect(() => replay.begin(none.call)).toThrow(new UserError(text('replay.nothing')));
    expect(none.replayed()).toEqual([]);
  });

  it('is spoken again by /replay for whoever may enter, without its words for those who may not', async () => {
    const words = async (userId: string) => wordsOf(replay, { recent: [item('b', userId, 'den', 'done')] });
    expect(await words('ann')).toContain('Replayed in <#hall>: “…”');
    expect(await words('bob')).toContain('Replayed in <#hall>: “words of b”');
  });

  it('is not spoken again by the button below it either, nor is it saved', async () => {
    const { call, replayed } = asked({ recent: [secret, heard] });
    const pressed = (argument: string) => ({ ...call, argument, values: [], fields: {} }) as unknown as ControlCall;
    for (const control of [...(replay.controls ?? []), saveButton]) {
      await expect(async () => control.begin(pressed('a'))).rejects.toThrow('replay.unseen');
      await control.begin(pressed('b'));
    }
    expect(replayed()).toEqual(['b']);
  });
});

it('/replay keeps the break that admins want, and counts as a text unless it was refused once it was accepted', async () => {
  const recent = [item('b', 'ann', 'hall', 'done')];
  const nobody = new DeliveryError('hall', { kind: 'none' }, new UserError(text('replay.gone')));
  const { call, replayed } = asked({ recent, failures: [nobody, nobody] });
  for (let times = 0; times < 2; times += 1) await expect(replyOf(replay, call)).rejects.toBe(nobody);
  await replyOf(replay, call);
  await expect(replyOf(replay, call)).rejects.toThrow('refused.server-cooldown');
  expect(replayed()).toHaveLength(3);
  const quick = asked({ recent, rules: {} });
  for (let times = 0; times < 5; times += 1) await replyOf(replay, quick.call);
  await expect(replyOf(replay, quick.call)).rejects.toThrow('refused.too-many-texts');
});

it('/skip, which everybody may read, gives nobody else’s words away, and tells one’s own', async () => {
  expect(await wordsOf(skip, { current: item('a', 'ann'), isModerator: true })).toEqual([
    'Removed a text by <@ann> from the queue.',
  ]);
  expect(await wordsOf(skip, { current: item('a', 'bob') })).toEqual(['Removed from the queue: “words of a”']);
});

describe('/skip position', () => {
  const waiting = [item('b', 'ann'), item('c', 'bob'), item('d 2', 'bob'), item('e', 'ann', 'board')];
  const recent = [item('over', 'bob', 'hall', 'skipped')];
  const present = { current: item('a', 'bob', 'hall', 'speaking'), waiting, recent, there: ['ann', 'bob'] };
  const skipping = (typed: string) => asked({ ...present, isModerator: true, typed });

  it('is suggested with the start of each text that one may remove', async () => {
    const suggested = (typed: string, isModerator = true) =>
      skip.complete?.(asked({ ...present, isModerator, typed }).call as unknown as CompletionCall);
    const [anns, own, other, unseen] = [
      { name: '1. “words of b”', value: 'b' },
      { name: '2. “words of c”', value: 'c' },
      { name: '3. “words of d 2”', value: 'd 2' },
      { name: '4. in a voice channel you can’t join', value: 'e' },
    ];
    expect(await suggested('', false)).toEqual([own, other]);
    expect(await suggested('')).toEqual([anns, own, other, unseen]);
    expect(await suggested('2')).toEqual([own]);
    expect(await suggested('OF C')).toEqual([own]);
  });

  it.each(['c', ' 2 ', '2. “words of c”'])('removes what was picked, or typed as a number: %j', async (typed) => {
    const { call, skipped } = skipping(typed);
    await replyOf(skip, call);
    expect(skipped).toEqual(['c']);
  });

  it.each(['over', 'never there', '5'])('that is gone is no other text’s: %j', async (typed) => {
    await expect(async () => replyOf(skip, skipping(typed).call)).rejects.toThrow('skip.gone');
  });
});

describe('/stop', () => {
  it('ends one’s own and what was left behind, says how many that were, and lets the others go on', async () => {
    const waiting = [item('b', 'ann'), item('c', 'gone')];
    const { call, skipped } = asked({ current: item('a', 'gone', 'hall', 'speaking'), waiting, there: ['ann', 'bob'] });
    expect(await linesOf(stop, call)).toEqual(['Removed your 2 texts.']);
    expect(skipped).toEqual(['c', 'a']);
  });

  it('says where one has no text that there is none, and whose is spoken', async () => {
    const { call, skipped } = asked({ current: item('a', 'ann', 'hall', 'speaking'), there: ['ann', 'bob'] });
    expect(() => stop.begin(call)).toThrow(new UserError(text('stop.not-yours', { member: '<@ann>' })));
    expect(skipped).toEqual([]);
  });
});

it.each([
  [stop, 'stop.nothing'],
  [leave, 'leave.absent'],
])('/$name where nothing is spoken ends what was asked for before: one’s own, or everybody’s', ({ begin }, key) => {
  for (const isModerator of [false, true]) {
    const { call, stops } = asked({ isModerator });
    expect(() => begin(call)).toThrow(key);
    expect(stops).toEqual([{ askedAtMs: 5, byUserId: 'bob', isOfAll: isModerator }]);
  }
});

it('/leave sends the bot away where nobody else’s text waits, or comes while Discord is answered', async () => {
  const alone = asked({ botIn: 'hall' });
  await replyOf(leave, alone.call);
  expect(alone.left).toEqual(['bob']);
  // What bob asked for before, and is in no queue yet, would bring it back.
  expect(alone.stops).toEqual([{ askedAtMs: 5, byUserId: 'bob', isOfAll: false }]);
  const waiting: QueueItem[] = [];
  const { call, left, stops } = asked({ botIn: 'hall', current: item('a', 'bob'), waiting });
  const work = await leave.begin(call);
  waiting.push(item('b', 'ann', 'hall', 'joining'));
  await expect(async () => (work as () => unknown)()).rejects.toThrow('leave.not-yours');
  expect([left, stops]).toEqual([[], []]);
});

describe.each([
  { command: pause, isPaused: false, done: 'Paused. Use /resume to continue.' },
  { command: resume, isPaused: true, done: 'Resumed.' },
])('/$command.name', ({ command, isPaused, done }) => {
  it.each<[string, Circumstances, boolean]>([
    ['whoever asked for the text', { current: item('a', 'bob'), there: ['ann', 'bob'] }, true],
    ['moderators', { current: item('a', 'ann'), there: ['ann', 'bob'], isModerator: true }, true],
    ['those who only listen, until its asker has gone', { current: item('a', 'ann'), there: ['ann', 'bob'] }, false],
    ['those who only listen, once its asker has gone', { current: item('a', 'ann'), there: ['bob'] }, true],
  ])('is for %s: %j %s', async (_, circumstances, isAllowed) => {
    const lines = wordsOf(command, { ...circumstances, isPaused });
    if (isAllowed) expect(await lines).toEqual([done]);
    else await expect(lines).rejects.toMatchObject({ text: { key: 'skip.not-yours', values: { member: '<@ann>' } } });
  });
});
