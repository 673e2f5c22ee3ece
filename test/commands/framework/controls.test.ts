import { Collection, InteractionContextType, MessageFlags, PermissionFlagsBits, PermissionsBitField } from 'discord.js';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import type { ChatCommand, Control, ControlCall } from '../../../src/commands/framework/command.ts';
import { createDispatcher } from '../../../src/commands/framework/dispatch.ts';
import { UserError } from '../../../src/errors/user-errors.ts';
import { createGuildSpeakers } from '../../../src/services/playback/guild-speakers.ts';
import { text } from '../../../src/texts/catalog.ts';
import { servicesOf } from '../services.ts';

const log = pino({ level: 'silent' });
const services = servicesOf({ speakers: createGuildSpeakers({} as never), localVoice: false, log });
const needs = { contexts: [InteractionContextType.Guild] };

interface Sent {
  readonly as?: 'command' | 'button' | 'modal';
  readonly customId?: string;
  readonly commandName?: string;
  readonly userId?: string;
  readonly permissions?: bigint;
  readonly values?: readonly string[];
}

/** An interaction as discord.js hands it over, with a record of what was answered. */
function sent({ as = 'button', customId = '', commandName = 'settings', ...options }: Sent) {
  const calls: unknown[] = [];
  const answered =
    (method: string) =>
    async (message: { content?: string; flags?: unknown; components?: unknown[]; title?: string } = {}) => {
      const hidden = [message.flags].flat().includes(MessageFlags.Ephemeral);
      const rows = message.components?.length ? `+${message.components.length} rows` : '';
      calls.push(
        [method, hidden ? 'hidden' : '', message.title ?? message.content ?? '', rows].filter(Boolean).join(' '),
      );
    };
  const fake = {
    id: '1',
    ...(as === 'command' ? { commandName } : { customId }),
    ...(options.values && { values: options.values }),
    context: InteractionContextType.Guild,
    guildId: '9',
    channelId: '8',
    locale: 'en-US',
    user: { id: options.userId ?? 'alice' },
    guild: { id: '9', members: { me: null }, voiceStates: { cache: new Collection() } },
    member: { voice: { channel: null } },
    memberPermissions: new PermissionsBitField(options.permissions ?? 0n),
    isChatInputCommand: () => as === 'command',
    options: { getSubcommandGroup: () => null, getSubcommand: () => null, data: [] },
    isMessageContextMenuCommand: () => false,
    isCommand: () => as === 'command',
    isAutocomplete: () => false,
    isModalSubmit: () => as === 'modal',
    fields: { fields: new Collection([['word', { customId: 'word', value: 'gif' }]]) },
    inCachedGuild: () => true,
    deferred: false,
    ephemeral: null,
    reply: answered('reply'),
    update: answered('update'),
    deferReply: answered('defer'),
    deferUpdate: answered('defer update'),
    editReply: answered('edit'),
    deleteReply: answered('delete'),
    followUp: answered('follow up'),
    showModal: answered('form'),
  };
  return { interaction: fake as never, calls };
}

function commandWith(controls: readonly Control[], parts: Partial<ChatCommand> = {}): ChatCommand {
  const begin = () => async () => ({ lines: [text('settings.description')] });
  return {
    name: 'settings',
    description: 'settings.description',
    needs,
    replyTo: 'caller',
    deferred: false,
    begin,
    controls,
    ...parts,
  };
}

function control(parts: Partial<Control> = {}): Control {
  const begin = () => async () => ({ lines: [text('stop.nothing')] });
  return { name: 'press', needs, replyTo: 'message', deferred: false, begin, ...parts };
}

const dispatcherOf = (command: ChatCommand, now?: () => number) =>
  createDispatcher({ commands: [command], services, log, repeated: () => false, ...(now && { now }) });

async function answersTo(command: ChatCommand, options: Sent) {
  const { interaction, calls } = sent(options);
  await dispatcherOf(command).handle(interaction);
  return calls;
}

const failing = () => {
  throw new UserError(text('stop.nothing'));
};

describe('what is counted', () => {
  it('are commands and their controls by how they ended, under no name that somebody made up', async () => {
    const counted: unknown[] = [];
    const command = commandWith([control({ begin: failing })]);
    const onAnswered = (answered: unknown) => counted.push(answered);
    const dispatcher = createDispatcher({ commands: [command], services, log, onAnswered, repeated: () => false });
    const customIds = ['press:a:b', 'made-up:1573724883823624197'];
    for (const customId of customIds) await dispatcher.handle(sent({ customId }).interaction);
    await dispatcher.handle(sent({ as: 'command', commandName: 'made-up' }).interaction);
    await dispatcher.handle(sent({ as: 'command', commandName: command.name }).interaction);
    expect(counted).toEqual([
      { command: command.name, outcome: 'refused' },
      { command: 'unknown', outcome: 'refused' },
      { command: 'unknown', outcome: 'refused' },
      { command: command.name, outcome: 'done' },
    ]);
  });
});

describe('a control', () => {
  it('is refused during its cooldown without a name that nobody can type', async () => {
    const limited = control({ needs: { ...needs, cooldown: { uses: 1, perMs: 5_000 } } });
    const dispatcher = dispatcherOf(commandWith([limited]), () => 0);
    await dispatcher.handle(sent({ customId: 'press' }).interaction);
    const { interaction, calls } = sent({ customId: 'press' });
    await dispatcher.handle(interaction);
    expect(calls).toEqual(['reply hidden Too fast. Try again in 5 seconds.']);
  });

  it('is told what stands behind its name, what was chosen, and what was filled in', async () => {
    const seen: Pick<ControlCall, 'argument' | 'values' | 'fields'>[] = [];
    const begin = ({ argument, values, fields }: ControlCall) => {
      seen.push({ argument, values, fields });
      return async () => ({ lines: [] });
    };
    const command = commandWith([control({ begin })]);
    await answersTo(command, { customId: 'press:a:b', values: ['x', 'y'] });
    await answersTo(command, { as: 'modal', customId: 'press' });
    expect(seen).toEqual([
      { argument: 'a:b', values: ['x', 'y'], fields: {} },
      { argument: '', values: [], fields: { word: 'gif' } },
    ]);
  });

  it('changes the message it stands on, or answers on its own', async () => {
    const words = 'Nothing is being spoken right now.';
    expect(await answersTo(commandWith([control()]), { customId: 'press' })).toEqual([`update ${words}`]);
    expect(await answersTo(commandWith([control({ deferred: true })]), { customId: 'press' })).toEqual([
      'defer update',
      `edit ${words}`,
    ]);
    expect(await answersTo(commandWith([control({ replyTo: 'caller' })]), { customId: 'press' })).toEqual([
      `reply hidden ${words}`,
    ]);
  });

  it('that fails leaves the message as it is and tells its user alone', async () => {
    const words = 'Nothing is being spoken right now.';
    expect(await answersTo(commandWith([control({ begin: failing })]), { customId: 'press' })).toEqual([
      `reply hidden ${words}`,
    ]);
    const late = control({ deferred: true, begin: () => async () => failing() });
    expect(await answersTo(commandWith([late]), { customId: 'press' })).toEqual([
      'defer update',
      `follow up hidden ${words}`,
    ]);
  });

  it('gives back what would be lost when it is refused, before it is begun as well', async () => {
    const written: string[] = [];
    const offerBack: Control['offerBack'] = ({ fields }) => {
      written.push(fields.word ?? '');
      return [[{ kind: 'button', label: text('say.edit'), control: 'press', argument: 'kept' }]];
    };
    const form = { as: 'modal', customId: 'press:' } as const;
    const refusedLater = control({ replyTo: 'caller', begin: failing, offerBack });
    expect(await answersTo(commandWith([refusedLater]), form)).toEqual([
      'reply hidden Nothing is being spoken right now. +1 rows',
    ]);
    const refusedBefore = control({ needs: { contexts: [InteractionContextType.BotDM] }, offerBack });
    expect(await answersTo(commandWith([refusedBefore]), form)).toEqual([
      expect.stringMatching(/^reply hidden .*\+1 rows$/),
    ]);
    expect(written).toEqual(['gif', 'gif']);
    expect(await answersTo(commandWith([control({ offerBack })]), form)).toEqual([
      'update Nothing is being spoken right now.',
    ]);
  });

  it('can open a form, before anything else is shown', async () => {
    const modal = { title: text('help.title'), control: 'press', fields: [] };
    const asking = control({ deferred: true, begin: () => ({ modal }) });
    expect(await answersTo(commandWith([asking]), { customId: 'press' })).toEqual([
      expect.stringMatching(/^form Join a/),
    ]);
  });

  it('that nobody answers any more says that it is over', async () => {
    expect(await answersTo(commandWith([]), { customId: 'vanished:1' })).toEqual([
      expect.stringMatching(/^reply hidden This has expired/),
    ]);
  });
});

describe('a control of a command for admins', () => {
  const admins = (parts: Partial<Control> = {}) =>
    commandWith([control(parts)], { defaultMemberPermissions: PermissionFlagsBits.ManageGuild });
  const refused = [
    'reply hidden You need the Manage Server permission, or access to this command, to do that. If you have access, use /settings.',
  ];
  const done = ['update Nothing is being spoken right now.'];

  it('is refused to whoever sends its id without the rights', async () => {
    expect(await answersTo(admins(), { customId: 'press' })).toEqual(refused);
    expect(await answersTo(admins(), { customId: 'press', permissions: PermissionFlagsBits.ManageGuild })).toEqual(
      done,
    );
    expect(await answersTo(admins({ rights: 'anyone' }), { customId: 'press' })).toEqual(done);
  });

  it('works for whom Discord let use the command, for as long as its reply can be used', async () => {
    let nowMs = 1;
    const dispatcher = dispatcherOf(admins(), () => nowMs);
    await dispatcher.handle(sent({ as: 'command' }).interaction);
    const press = async (userId: string) => {
      const { interaction, calls } = sent({ customId: 'press', userId });
      await dispatcher.handle(interaction);
      return calls;
    };
    expect(await press('alice')).toEqual(done);
    expect(await press('bob')).toEqual(refused);
    nowMs = 15 * 60_000 + 2;
    expect(await press('alice')).toEqual(refused);
  });
});
