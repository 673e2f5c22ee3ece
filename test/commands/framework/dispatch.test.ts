import {
  Collection,
  DiscordAPIError,
  type Interaction,
  InteractionContextType,
  MessageFlags,
  PermissionFlagsBits,
  PermissionsBitField,
} from 'discord.js';
import { describe, expect, it, vi } from 'vitest';
import {
  type ChatCommand,
  type Command,
  type Control,
  OfferedError,
  type Services,
} from '../../../src/commands/framework/command.ts';
import { createDispatcher } from '../../../src/commands/framework/dispatch.ts';
import { autocompleteOption, subcommand } from '../../../src/commands/framework/options.ts';
import { button, type Modal } from '../../../src/discord/replies/layout.ts';
import { refusal, UserError } from '../../../src/errors/user-errors.ts';
import { createGuildSpeakers } from '../../../src/services/playback/guild-speakers.ts';
import { rulesOf } from '../../../src/services/servers/admission.ts';
import { createPending } from '../../../src/services/time/timers.ts';
import { text } from '../../../src/texts/catalog.ts';
import { servicesOf } from '../scene.ts';

const LEFT = text('leave.left', { channel: '<#1>' });
const NOTHING = 'Nothing is being spoken right now.';
const refused = () => {
  throw new UserError(text('stop.nothing'));
};

const LATE = { begin: () => async () => refused() };

function command(parts: Partial<ChatCommand> = {}): ChatCommand {
  const begin = () => async () => ({ lines: [LEFT] });
  return {
    name: 'about',
    onlyFor: 'servers',
    replyTo: 'everyone',
    deferred: false,
    begin,
    ...parts,
  };
}

function withControl(parts: Partial<Control> = {}, ofCommand: Partial<ChatCommand> = {}): ChatCommand {
  const begin = () => async () => ({ lines: [text('stop.nothing')] });
  const control: Control = { name: 'press', onlyFor: 'servers', replyTo: 'message', deferred: false, begin, ...parts };
  return command({ controls: [control], ...ofCommand });
}

/** A value of an option, as discord.js hands it over. */
interface Given {
  readonly name: string;
  readonly value?: string;
  readonly options?: readonly Given[];
}

interface Message {
  readonly content?: string;
  readonly title?: string;
  readonly flags?: unknown;
  readonly components?: readonly { readonly components: readonly { readonly custom_id?: string }[] }[];
}

/** An interaction as discord.js hands it over, and what was answered. Discord refuses the methods in `failing`. */
function sent({
  as = 'command' as 'command' | 'button' | 'form',
  commandName = 'about',
  customId = 'press',
  userId = 'alice',
  failing = {} as Readonly<Record<string, unknown>>,
  given = [] as readonly Given[],
} = {}) {
  const calls: string[] = [];
  const ids: string[] = [];
  const answered =
    (method: string) =>
    async (message: Message = {}) => {
      const failure = failing[method];
      if (failure !== undefined) throw failure;
      const isHidden = [message.flags].flat().includes(MessageFlags.Ephemeral);
      const rows = message.title === undefined ? (message.components ?? []) : [];
      for (const { components } of rows) ids.push(...components.map(({ custom_id: id = '' }) => id));
      const words = message.title ?? message.content;
      const told = [method, isHidden && 'hidden', words, rows.length > 0 && '+ buttons'];
      calls.push(told.filter(Boolean).join(' '));
    };
  const fake = {
    ...(as === 'command' ? { commandName } : { customId }),
    id: '1',
    context: InteractionContextType.Guild,
    guildId: '9',
    channelId: '8',
    locale: 'en-US',
    user: { id: userId },
    guild: { id: '9', members: { me: null }, voiceStates: { cache: new Collection() } },
    member: { voice: { channel: null }, roles: { cache: new Collection() }, permissions: new PermissionsBitField() },
    memberPermissions: new PermissionsBitField(),
    options: { getSubcommandGroup: () => null, getSubcommand: () => null, data: given },
    fields: { fields: new Collection([['word', { customId: 'word', value: 'gif' }]]) },
    isCommand: () => as === 'command',
    isChatInputCommand: () => as === 'command',
    isAutocomplete: () => false,
    isModalSubmit: () => as === 'form',
    inCachedGuild: () => true,
    deferred: false,
    deferReply: answered('defer'),
    deferUpdate: answered('defer update'),
    ephemeral: null,
    reply: answered('reply'),
    followUp: answered('follow up'),
    update: answered('update'),
    editReply: answered('edit'),
    deleteReply: answered('delete'),
    showModal: answered('form'),
  };
  return { interaction: fake as unknown as Interaction, calls, ids };
}

type Sent = Parameters<typeof sent>[0];

function dispatcher(commands: readonly Command[], { onAnswered = () => {} } = {}) {
  const services = servicesOf({
    speakers: createGuildSpeakers({} as never),
    localVoice: false,
    settings: { of: async () => rulesOf({}) },
    pending: createPending() as Services['pending'],
  });
  return createDispatcher({ commands, services, allowedServers: undefined, repeated: () => false, onAnswered });
}

async function answersTo(one: Command, options: Sent = {}) {
  const { interaction, calls } = sent(options);
  await dispatcher([one]).handle(interaction);
  return calls;
}

const apiError = (code: number, status = 400) =>
  new DiscordAPIError({ code, message: 'refused' }, code, status, 'POST', 'https://discord.example', {});

describe('a command', () => {
  it.each<[string, Partial<ChatCommand>, string[], Sent?]>([
    ['needs no time: it is answered at once', {}, ['reply Left <#1>.']],
    ['is for its caller alone', { replyTo: 'caller' }, ['reply hidden Left <#1>.']],
    ['takes time: it is deferred first', { deferred: true }, ['defer', 'edit Left <#1>.']],
    ['is refused without waiting', { deferred: true, begin: refused }, [`reply hidden ${NOTHING}`]],
    [
      'fails later: the public placeholder goes, and its caller alone is told',
      { deferred: true, ...LATE },
      ['defer', 'delete', `follow up hidden ${NOTHING}`],
    ],
    [
      'fails with a placeholder that cannot be removed: a follow-up would fill it anyway',
      { deferred: true, ...LATE },
      ['defer', `edit ${NOTHING}`],
      { failing: { delete: new Error('socket lost') } },
    ],
    ['fails in private', { deferred: true, replyTo: 'caller', ...LATE }, ['defer hidden', `edit ${NOTHING}`]],
    ['is gone', {}, [expect.stringContaining('outdated')], { commandName: 'gone' }],
  ])('%s', async (_, parts, answers, how) => {
    expect(await answersTo(command(parts), how)).toEqual(answers);
  });

  it('is deferred in time when its checks hang', async () => {
    vi.useFakeTimers();
    const slow = Promise.withResolvers<() => Promise<never>>();
    const { interaction, calls } = sent();
    const handled = dispatcher([command({ deferred: true, begin: () => slow.promise })]).handle(interaction);
    await vi.advanceTimersByTimeAsync(600);
    expect(calls).toEqual(['defer']);
    slow.reject(new UserError(text('stop.nothing')));
    await handled;
    expect(calls).toEqual(['defer', 'delete', `follow up hidden ${NOTHING}`]);
  });

  it('is refused where an option is longer than it may be, and makes no suggestions for it', async () => {
    const inner = autocompleteOption('word', 'dictionary.remove.word');
    const complete = vi.fn(async () => [{ name: 'suggested', value: 'suggested' }]);
    const options = [subcommand('remove', 'dictionary.remove.description', [inner])];
    const limited = command({ complete, options });
    const given = [{ name: 'remove', options: [{ name: 'word', value: 'x'.repeat(101) }] }];
    expect(await answersTo(limited, { given })).toEqual([
      'reply hidden The option word takes up to 100 characters; this has 101.',
    ]);
    const { interaction } = sent({ given });
    const respond = vi.fn();
    await dispatcher([limited]).handle({ ...interaction, isAutocomplete: () => true, respond } as never);
    expect(respond).toHaveBeenCalledWith([]);
    expect(complete).not.toHaveBeenCalled();
  });

  it('has a cooldown for each member; a refusal, at once or in the end, counts as no use', async () => {
    vi.useFakeTimers();
    const outcomes: (() => unknown)[] = [refused, () => async () => refused()];
    const done = () => async () => ({ lines: [LEFT] });
    const begin = (() => (outcomes.shift() ?? done)()) as ChatCommand['begin'];
    const one = dispatcher([command({ begin, cooldown: { uses: 1, perMs: 5000 } })]);
    for (const [userId, answer] of [
      ['alice', `reply hidden ${NOTHING}`],
      ['alice', `reply hidden ${NOTHING}`],
      ['alice', 'reply Left <#1>.'],
      ['alice', 'reply hidden Too fast. Try again in 5 seconds.'],
      ['bob', 'reply Left <#1>.'],
    ] as const) {
      const { interaction, calls } = sent({ userId });
      await one.handle(interaction);
      expect(calls).toEqual([answer]);
    }
  });

  it('is counted by how it ended, as are its controls, under no name that somebody made up', async () => {
    const counted: unknown[] = [];
    const one = dispatcher([withControl({ begin: refused })], {
      onAnswered: (answered?: unknown) => counted.push(answered),
    });
    for (const how of [{ customId: 'press:a:b' }, { customId: 'made-up:1573724883823624197' }] as const) {
      await one.handle(sent({ as: 'button', ...how }).interaction);
    }
    for (const commandName of ['made-up', 'about']) await one.handle(sent({ commandName }).interaction);
    expect(counted).toEqual([
      { command: 'about', outcome: 'refused' },
      { command: 'unknown', outcome: 'refused' },
      { command: 'unknown', outcome: 'refused' },
      { command: 'about', outcome: 'done' },
    ]);
  });
});

describe('a control', () => {
  it.each<[string, Partial<Control>, string[], Sent?]>([
    ['changes the message it stands on', {}, [`update ${NOTHING}`]],
    ['changes it after a while', { deferred: true }, ['defer update', `edit ${NOTHING}`]],
    ['answers on its own', { replyTo: 'caller' }, [`reply hidden ${NOTHING}`]],
    ['fails: the message stays as it is', { begin: refused }, [`reply hidden ${NOTHING}`]],
    ['fails after a while', { deferred: true, ...LATE }, ['defer update', `follow up hidden ${NOTHING}`]],
    ['opens a form', { deferred: true, begin: () => FORM }, [expect.stringMatching(/^form Join a/)]],
  ])('%s', async (_, parts, answers, how = {}) => {
    expect(await answersTo(withControl(parts), { as: 'button', ...how })).toEqual(answers);
  });

  it('of a form that is refused gives back what was typed, in a form that answers as the first one', async () => {
    let isRefused = true;
    const form = () => FORM;
    const begin = () => (isRefused ? refused() : async () => ({ lines: [LEFT] }));
    const one = dispatcher([withControl({ form, begin, replyTo: 'everyone' })]);
    const first = sent({ as: 'form', customId: 'press:1' });
    await one.handle(first.interaction);
    expect(first.calls).toEqual([`reply hidden ${NOTHING} + buttons`]);
    const [customId = ''] = first.ids;
    const others = sent({ as: 'button', customId, userId: 'bob' });
    await one.handle(others.interaction);
    expect(others.calls).toEqual([expect.stringContaining('expired')]);
    const again = sent({ as: 'button', customId });
    const showModal = vi.fn(async () => undefined);
    await one.handle({ ...again.interaction, showModal } as never);
    expect(showModal.mock.lastCall).toMatchObject([
      { custom_id: 'press', components: [{ component: { value: 'gif' } }] },
    ]);
    isRefused = false;
    const refilled = sent({ as: 'form', customId: 'press' });
    await one.handle(refilled.interaction);
    expect(refilled.calls).toEqual(['reply Left <#1>.']);
  });

  it('says what others may read of a private refusal, with its buttons, where the placeholder stays', async () => {
    const begin = () => async () => {
      const cause = new UserError(refusal('server-muted'), { toOthers: text('refused.by-rules') });
      throw new OfferedError(cause, [[button('say-go', text('say.again'), 'token')]]);
    };
    const failing = { delete: new Error('Discord is down') };
    expect(await answersTo(command({ deferred: true, begin }), { failing })).toEqual([
      'defer',
      'edit This server’s rules don’t allow speaking this. + buttons',
    ]);
  });
});

const FORM: Modal = {
  title: text('help.title'),
  control: 'press',
  argument: '',
  fields: [{ kind: 'line', name: 'word', label: text('help.title'), required: true, value: '', maxLength: 100 }],
};

it('admins’ controls work for whom Discord let use the command, there and as long as its reply can be used', async () => {
  vi.useFakeTimers();
  const notGiven =
    'reply hidden You need the Manage Server permission, or access to this command, to do that. If you have access, use /settings.';
  const settings = { name: 'settings', defaultMemberPermissions: PermissionFlagsBits.ManageGuild } as const;
  const one = dispatcher([withControl({}, settings)]);
  const give = () => one.handle(sent({ commandName: 'settings' }).interaction);
  const press = async (userId: string, more: object = {}) => {
    const { interaction, calls } = sent({ as: 'button', userId });
    await one.handle(Object.assign(interaction, more));
    return calls;
  };
  await give();
  vi.advanceTimersByTime(10 * 60_000);
  await give();
  vi.advanceTimersByTime(15 * 60_000 - 1);
  expect(await press('alice')).toEqual([`update ${NOTHING}`]);
  expect(await press('bob')).toEqual([notGiven]);
  expect(await press('alice', { guildId: 'another' })).toEqual([notGiven]);
  vi.advanceTimersByTime(2);
  expect(await press('alice')).toEqual([notGiven]);
});

describe('Discord’s side of it', () => {
  it('"already acknowledged" at the first attempt means another process: nothing is done twice', async () => {
    const work = vi.fn(async () => ({ lines: [LEFT] }));
    const failing = { defer: apiError(40060) };
    expect(await answersTo(command({ deferred: true, begin: () => work }), { failing })).toEqual([]);
    expect(work).not.toHaveBeenCalled();
  });

  it.each<[string, ChatCommand['begin'], string]>([
    ['whose bill does not come in time', () => () => new Promise(() => {}), '\nCredits may have been used.'],
    ['that has not begun', () => new Promise<never>(() => {}), ''],
  ])('speech %s, and whose first answer is refused, is told of in time', async (_, begin, cost) => {
    vi.useFakeTimers();
    const speaks = command({ deferred: true, speaks: true, begin });
    const answers = answersTo(speaks, { failing: { defer: apiError(0, 401) } });
    await vi.advanceTimersByTimeAsync(2_500);
    expect(await answers).toEqual([
      `reply hidden Discord didn’t accept the bot’s reply in time, so this wasn’t read. Try again.${cost}`,
    ]);
  });

  it('an answer that it refuses is told in plain words, with what was spent and what to look for', async () => {
    const spent = (facts: { creditsUsed: number; creditsMayBeSpent?: boolean }) =>
      command({ deferred: true, begin: () => async () => ({ lines: [text('stop.nothing')], facts }) });
    const failing = { edit: apiError(50035) };
    const told = /^follow up hidden Discord rejected the bot’s reply, [^\n]*\n7 credits were used.\n`discord 50035`$/;
    const answers = await answersTo(spent({ creditsUsed: 7 }), { failing });
    expect(answers).toEqual(['defer', 'delete', expect.stringMatching(told)]);
    const unsure = spent({ creditsUsed: 0, creditsMayBeSpent: true });
    expect((await answersTo(unsure, { failing })).at(-1)).toContain('Credits may have been used.');
    // A code of any error at all says nothing.
    const unnamed = { edit: apiError(0, 500) };
    expect((await answersTo(spent({ creditsUsed: 7 }), { failing: unnamed })).at(-1)).toContain('`discord 500`');
  });

  it('whatever Discord answers, handling never rejects', async () => {
    const failing = { reply: new Error('500'), defer: new Error('500'), edit: new Error('500') };
    for (const deferred of [true, false]) expect(await answersTo(command({ deferred }), { failing })).toEqual([]);
  });
});

it('waits for what is under way, up to a deadline', async () => {
  vi.useFakeTimers();
  const slow = Promise.withResolvers<never>();
  const one = dispatcher([command({ deferred: true, begin: () => async () => slow.promise })]);
  const { interaction, calls } = sent();
  const handled = one.handle(interaction);
  const drained = one.drain(20);
  await vi.advanceTimersByTimeAsync(20);
  await drained;
  expect(calls).toEqual(['defer']);
  slow.reject(new UserError(refusal('stopping')));
  await handled;
  await one.drain(1000);
  expect(calls.at(-1)).toContain('is restarting');
});
