import {
  type ChatInputCommandInteraction,
  Collection,
  DiscordAPIError,
  InteractionContextType,
  MessageFlags,
  PermissionsBitField,
} from 'discord.js';
import { pino } from 'pino';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { ChatCommand, Command, Services } from '../../../src/commands/framework/command.ts';
import { createDispatcher } from '../../../src/commands/framework/dispatch.ts';
import { stringOption, subcommand } from '../../../src/commands/framework/options.ts';
import { refusal } from '../../../src/errors/refusals.ts';
import { DeliveryError, UserError } from '../../../src/errors/user-errors.ts';
import { createGuildSpeakers } from '../../../src/services/playback/guild-speakers.ts';
import { rulesOf } from '../../../src/services/servers/server-rules.ts';
import { text } from '../../../src/texts/catalog.ts';
import { servicesOf } from '../services.ts';

const log = pino({ level: 'silent' });
const speakers = createGuildSpeakers({} as never);
const services = servicesOf({
  speakers,
  localVoice: false,
  settings: { of: async () => rulesOf({}) },
  log,
});

function command(parts: Partial<ChatCommand>): ChatCommand {
  return {
    name: 'test',
    description: 'help.description',
    needs: { contexts: [InteractionContextType.Guild] },
    replyTo: 'everyone',
    deferred: false,
    begin: () => async () => ({ lines: [text('leave.left', { channel: '<#1>' })] }),
    ...parts,
  };
}

function apiError(code: number, status = 400): DiscordAPIError {
  return new DiscordAPIError({ code, message: 'refused' }, code, status, 'POST', 'https://discord.example', {});
}

/** A value of an option, as discord.js hands it over. */
interface Given {
  readonly name: string;
  readonly value?: string;
  readonly options?: readonly Given[];
}

interface Sent {
  readonly content?: string;
  readonly flags?: unknown;
  readonly files?: readonly { readonly name: string }[];
}

/** An interaction as discord.js hands it over, with a record of what was answered. */
function interaction(
  options: { commandName?: string; userId?: string; failing?: Record<string, unknown>; given?: readonly Given[] } = {},
) {
  const calls: string[] = [];
  const answered =
    (method: string) =>
    async (message: Sent = {}) => {
      const has = (flag: MessageFlags) => [message.flags].flat().includes(flag);
      const isVoice = has(MessageFlags.IsVoiceMessage);
      const failure = options.failing?.[isVoice ? 'voice message' : method];
      if (failure !== undefined) throw failure;
      const words = isVoice ? 'voice message' : message.content;
      const files = message.files?.map(({ name }) => `with ${name}`) ?? [];
      calls.push([method, has(MessageFlags.Ephemeral) && 'hidden', words, ...files].filter(Boolean).join(' '));
    };
  const fake = {
    id: '1',
    commandName: options.commandName ?? 'test',
    context: InteractionContextType.Guild,
    guildId: '9',
    channelId: '8',
    locale: 'en-US',
    user: { id: options.userId ?? 'alice' },
    guild: { id: '9', members: { me: null }, voiceStates: { cache: new Collection() } },
    member: {
      voice: { channel: null },
      roles: { cache: new Collection() },
      permissions: new PermissionsBitField(),
    },
    memberPermissions: new PermissionsBitField(),
    isChatInputCommand: () => true,
    options: { getSubcommandGroup: () => null, getSubcommand: () => null, data: options.given ?? [] },
    isCommand: () => true,
    isAutocomplete: () => false,
    inCachedGuild: () => true,
    deferred: false,
    ephemeral: null,
    reply: answered('reply'),
    deferReply: answered('defer'),
    editReply: answered('edit'),
    deleteReply: answered('delete'),
    followUp: answered('follow up'),
  };
  return { interaction: fake as unknown as ChatInputCommandInteraction<'cached'>, calls };
}

const dispatcher = (commands: readonly Command[], repeated = false, now?: () => number) =>
  createDispatcher({ commands, services, log, repeated: () => repeated, ...(now && { now }) });

async function answersTo(one: Command, options: Parameters<typeof interaction>[0] = {}, repeated = false) {
  const { interaction: sent, calls } = interaction(options);
  await dispatcher([one], repeated).handle(sent);
  return calls;
}

const refused = () => {
  throw new UserError(text('stop.nothing'));
};

describe('a command', () => {
  it('is answered at once when it needs no time, and to its caller alone where that is right', async () => {
    expect(await answersTo(command({}))).toEqual(['reply Left <#1>.']);
    expect(await answersTo(command({ replyTo: 'caller' }))).toEqual(['reply hidden Left <#1>.']);
  });

  it('that takes time is deferred first, and its reply ends up saying what happened', async () => {
    expect(await answersTo(command({ deferred: true }))).toEqual(['defer', 'edit Left <#1>.']);
    expect(await answersTo(command({ deferred: true, replyTo: 'caller' }))).toEqual([
      'defer hidden',
      'edit Left <#1>.',
    ]);
  });

  it('that can be refused without waiting is refused before the placeholder is shown', async () => {
    expect(await answersTo(command({ deferred: true, begin: refused }))).toEqual([
      'reply hidden Nothing is being spoken right now.',
    ]);
  });

  it('that fails later takes the public placeholder away first, and then tells its caller alone', async () => {
    expect(await answersTo(command({ deferred: true, begin: () => async () => refused() }))).toEqual([
      'defer',
      'delete',
      'follow up hidden Nothing is being spoken right now.',
    ]);
  });

  it('whose placeholder cannot be removed says it there, because a follow-up would fill it anyway', async () => {
    const failing = { delete: new Error('socket lost') };
    expect(await answersTo(command({ deferred: true, begin: () => async () => refused() }), { failing })).toEqual([
      'defer',
      'edit Nothing is being spoken right now.',
    ]);
  });

  it('that fails in private keeps to its private reply', async () => {
    const failing = command({ deferred: true, replyTo: 'caller', begin: () => async () => refused() });
    expect(await answersTo(failing)).toEqual(['defer hidden', 'edit Nothing is being spoken right now.']);
  });

  it('is deferred in time when its checks hang', async () => {
    const slow = Promise.withResolvers<() => Promise<never>>();
    const { interaction: sent, calls } = interaction();
    const handled = dispatcher([command({ deferred: true, begin: () => slow.promise })]).handle(sent);
    await expect.poll(() => calls).toEqual(['defer']);
    slow.reject(new UserError(text('stop.nothing')));
    await handled;
    expect(calls).toEqual(['defer', 'delete', 'follow up hidden Nothing is being spoken right now.']);
  });

  it('with an unforeseen error says so in words, with a code to copy', async () => {
    const broken = command({
      begin: () => {
        throw new TypeError('x is undefined');
      },
    });
    const [reply] = await answersTo(broken);
    expect(reply).toMatch(/^reply hidden Something went wrong[^`]*\n`[0-9a-f]{8}`$/);
  });

  it('that no longer exists says so', async () => {
    expect(await answersTo(command({}), { commandName: 'gone' })).toEqual([expect.stringContaining('outdated')]);
  });

  it('is refused where an option is longer than it may be, and makes no suggestions for it', async () => {
    const inner = stringOption('word', 'dictionary.remove.word', { autocomplete: true, maxLength: 20 });
    const complete = vi.fn(async () => [{ name: 'suggested', value: 'suggested' }]);
    const limited = command({
      complete,
      options: [subcommand('remove', 'dictionary.remove.description', [inner])],
    });
    const given = [{ name: 'remove', options: [{ name: 'word', value: 'x'.repeat(21) }] }];
    expect(await answersTo(limited, { given })).toEqual([
      'reply hidden The option word takes up to 20 characters; this has 21.',
    ]);
    const { interaction: typing } = interaction({ given });
    const respond = vi.fn();
    await dispatcher([limited]).handle({ ...typing, isAutocomplete: () => true, respond } as never);
    expect(respond).toHaveBeenCalledWith([]);
    expect(complete).not.toHaveBeenCalled();
  });

  it('is refused in words during its cooldown', async () => {
    const limited = command({ needs: { contexts: [0], cooldown: { uses: 1, perMs: 5000 } } });
    const one = dispatcher([limited], false, () => 0);
    const [first, second, other] = [interaction(), interaction(), interaction({ userId: 'bob' })];
    for (const { interaction: sent } of [first, second, other]) await one.handle(sent);
    expect(first.calls).toEqual(['reply Left <#1>.']);
    expect(second.calls).toEqual(['reply hidden Too fast. Use /test again in 5 seconds.']);
    expect(other.calls).toEqual(['reply Left <#1>.']);
  });

  it.each([
    ['at once', () => refused()],
    ['in the end', () => async () => refused()],
  ] as const)('counts no use for its cooldown where it is refused %s', async (_, refusing) => {
    let isRefused = true;
    const begin = () => (isRefused ? refusing() : async () => ({ lines: [text('leave.left', { channel: '<#1>' })] }));
    const limited = command({ needs: { contexts: [0], cooldown: { uses: 1, perMs: 5000 } }, begin });
    const one = dispatcher([limited], false, () => 0);
    const calls: string[][] = [];
    for (const next of [true, true, false, false]) {
      isRefused = next;
      const sent = interaction();
      await one.handle(sent.interaction);
      calls.push(sent.calls);
    }
    expect(calls).toEqual([
      [expect.stringContaining('Nothing is being spoken')],
      [expect.stringContaining('Nothing is being spoken')],
      ['reply Left <#1>.'],
      [expect.stringContaining('Too fast')],
    ]);
  });
});

describe('the log of a command', () => {
  it('says who called which subcommand where, and calls a refusal one, also after a delivery', async () => {
    const lines: Record<string, unknown>[] = [];
    const heard = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
    const cause = new UserError(text('stop.nothing'));
    const begin = () => async () => {
      throw new DeliveryError('1', { kind: 'used', credits: 5, requestId: 'req_1' }, cause);
    };
    const inServer = { ...services, log: heard } as unknown as Services;
    const dispatch = createDispatcher({
      commands: [command({ begin })],
      services: inServer,
      log: heard,
      repeated: () => false,
    });
    const { interaction: sent } = interaction();
    Object.assign(sent, { options: { getSubcommandGroup: () => null, getSubcommand: () => 'set', data: [] } });
    await dispatch.handle(sent);
    expect(lines).toMatchObject([
      { command: 'test set', guildId: '9', channelId: '8', userId: 'alice', outcome: 'refused', creditsUsed: 5 },
    ]);
    expect(lines[0]).toMatchObject({ requestId: 'req_1' });
  });
});

describe('Discord’s side of it', () => {
  const ALREADY_ACKNOWLEDGED = 40060;
  const INVALID_FORM_BODY = 50035;
  let worked = 0;
  const working = command({
    deferred: true,
    begin: () => async () => {
      worked += 1;
      return { lines: [text('stop.nothing')] };
    },
  });

  it('"already acknowledged" at the first attempt means another process: nothing is done twice', async () => {
    worked = 0;
    expect(await answersTo(working, { failing: { defer: apiError(ALREADY_ACKNOWLEDGED) } })).toEqual([]);
    expect(worked).toBe(0);
  });

  describe('speech whose first answer it refuses', () => {
    const REFUSED = { failing: { defer: apiError(0, 401) } };
    const speech = (work: (signal: AbortSignal) => Promise<never>) =>
      command({
        deferred: true,
        needs: { contexts: [InteractionContextType.Guild], speaks: true },
        begin:
          ({ signal }) =>
          () =>
            work(signal),
      });
    const lines = (cost: string) => [
      `reply hidden Discord didn’t accept the bot’s reply, so this was canceled. Try again.\n${cost}`,
    ];

    it('may have cost something where its bill does not come in time', async () => {
      vi.useFakeTimers();
      onTestFinished(() => void vi.useRealTimers());
      const answers = answersTo(
        speech(() => new Promise(() => undefined)),
        REFUSED,
      );
      await vi.advanceTimersByTimeAsync(3_000);
      expect(await answers).toEqual(lines('Credits may have been used.'));
    });

    it('is told before Discord takes no answer any more, though it has not begun', async () => {
      vi.useFakeTimers();
      onTestFinished(() => void vi.useRealTimers());
      const { interaction: sent, calls } = interaction({ ...REFUSED });
      const slow = { ...speech(refused), begin: () => new Promise<never>(() => undefined) };
      void dispatcher([slow]).handle(sent);
      await vi.advanceTimersByTimeAsync(2_500);
      expect(calls).toEqual(['reply hidden Discord didn’t accept the bot’s reply, so this was canceled. Try again.']);
    });
  });

  it('an answer that it refuses is told in plain words, with what was spent and what to look for', async () => {
    const reply = { lines: [text('stop.nothing')], facts: { creditsUsed: 7 } };
    const spent = command({ deferred: true, begin: () => async () => reply });
    const told = [
      'follow up hidden Discord rejected the bot’s reply, so it can’t be shown. Try again; if it keeps failing, tell the bot’s owner.',
      '7 credits were used.',
      '`discord 50035`',
    ].join('\n');
    const failing = { edit: apiError(INVALID_FORM_BODY) };
    expect(await answersTo(spent, { failing })).toEqual(['defer', 'delete', told]);
    const facts = { creditsUsed: 0, creditsMayBeSpent: true };
    const stopped = command({ deferred: true, begin: () => async () => ({ ...reply, facts }) });
    expect((await answersTo(stopped, { failing })).at(-1)).toContain('Credits may have been used.');
    // Of any error at all, which says nothing.
    const unnamed = { edit: apiError(0, 500) };
    expect((await answersTo(spent, { failing: unnamed })).at(-1)).toContain('`discord 500`');
  });

  it('whatever Discord answers, handling never rejects', async () => {
    const failing = { reply: new Error('500'), defer: new Error('500'), edit: new Error('500') };
    expect(await answersTo(working, { failing })).toEqual([]);
    expect(await answersTo(command({}), { failing })).toEqual([]);
  });
});

it('waits for what is under way, up to a deadline', async () => {
  const slow = Promise.withResolvers<never>();
  const one = dispatcher([command({ deferred: true, begin: () => async () => slow.promise })]);
  const { interaction: sent, calls } = interaction();
  const handled = one.handle(sent);
  await one.drain(20);
  expect(calls).toEqual(['defer']);
  slow.reject(new UserError(refusal('stopping')));
  await one.drain(1000);
  await handled;
  expect(calls.at(-1)).toContain('is restarting');
});
