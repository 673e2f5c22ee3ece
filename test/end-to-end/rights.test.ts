import { type APIApplicationCommandOption, ApplicationCommandOptionType } from 'discord.js';
import { describe, expect, it } from 'vitest';
import type { ChatCommand, Command, Control } from '../../src/commands/framework/command.ts';
import { commands } from '../../src/commands/index.ts';
import type { ForgedComponent } from '../../src/playground/people/command-user.ts';
import type { Person } from '../../src/playground/people/person.ts';
import type { SentInteraction } from '../../src/playground/people/sent-interaction.ts';
import type { OptionInput } from '../../src/playground/people/typed-command.ts';
import type { Place } from '../../src/playground/people/writer.ts';
import { replyTo, sceneOfFile, settingsPage, textOf } from './scene.ts';

/** No reply says that the program failed, whatever is sent to it. */
const BROKEN = /Something went wrong|did not respond/;
const NOT_PERMITTED = /^You need the Manage Server permission, or access to this command, to do that\./;

const everyControl = commands.flatMap((command) => (command.controls ?? []).map((control) => ({ command, control })));
const isForAdmins = ({ defaultMemberPermissions }: Command) => defaultMemberPermissions !== undefined;

/** Possible inputs: empty, nonsense, others' ids, too long, of the wrong kind. */
const ARGUMENTS = ['', 'x', '0', '-1', '9'.repeat(20), '__proto__', 'constructor', 'a|b|c|d', 'é😀', 'defaultVoice'];

const { world } = await sceneOfFile({ env: { DIRECT_USE: 'on' } });
const olga = world.member('olga');
const stranger = world.newMember('stranger');
stranger.installsApp();
const kinds: Readonly<Record<string, Person>> = {
  member: world.newMember('ordinary'),
  muted: world.newMember('silenced'),
  moderator: world.newMember('warden', { permissions: ['MoveMembers', 'MuteMembers'] }),
  stranger,
  admin: olga,
};
await replyTo(olga.types('/settings mute member:silenced'));

/** The words of the answer: of its form, or of its reply. */
async function wordsOf(sent: Promise<SentInteraction>): Promise<string> {
  const answered = await (await sent).answer();
  if ('modal' in answered) return answered.modal.title;
  return answered.reply.voiceMessage ? 'a voice message' : answered.reply.text;
}

function forgeries({ name }: Control, place: Place = {}): ForgedComponent[] {
  const values = ['made-up'];
  const inputs = [
    { kind: 'button', values },
    { kind: 'string', values },
    { kind: 'modal', fields: { text: 'made up', words: 'made up', voice: 'made up' } },
  ] as const;
  return ARGUMENTS.map((argument, index) => ({
    ...place,
    customId: argument === '' ? name : `${name}:${argument}`,
    input: inputs[index % 3],
  }));
}

const BESIDE_THE_BOT: readonly Place[] = [{ in: '@bot' }, { in: '@bob' }];

describe.each<[kind: string, forgeries: number, places: readonly Place[]]>([
  ['member', ARGUMENTS.length, [{}]],
  ['muted', 3, [{}]],
  ['moderator', 3, [{}]],
  ['admin', ARGUMENTS.length, [{}]],
  // In direct messages, and in a server without the bot.
  ['stranger', 3, BESIDE_THE_BOT],
])('a %s', (kind, count, places) => {
  const mayNot = (command: Command) => isForAdmins(command) && ['member', 'muted', 'moderator'].includes(kind);

  it.each(everyControl.map(({ command, control }) => [control.name, command, control] as const))(
    'gets words, and nothing else, for a made-up %s, with any id, and a refusal where that is for admins',
    async (_, command, control) => {
      const forged = places.flatMap((place) => forgeries(control, place).slice(0, count));
      for (const [index, one] of forged.entries()) {
        const said = await wordsOf((kinds[kind] as Person).forges(one));
        expect(said, JSON.stringify(one)).not.toMatch(BROKEN);
        expect(said.length).toBeGreaterThan(0);
        if (mayNot(command) && index < 3) expect(said, JSON.stringify(one)).toMatch(NOT_PERMITTED);
      }
    },
  );
});

/** Something of the right kind in every option that has to be filled in. */
function filledIn(options: readonly APIApplicationCommandOption[]): Record<string, OptionInput> {
  const required = options.filter((option) => 'required' in option && option.required);
  return Object.fromEntries(required.map((option) => [option.name, inputOf(option)]));
}

function inputOf(option: APIApplicationCommandOption): OptionInput {
  switch (option.type) {
    case ApplicationCommandOptionType.Channel:
      return 'general';
    case ApplicationCommandOptionType.User:
      return 'silenced';
    case ApplicationCommandOptionType.Boolean:
      return true;
    case ApplicationCommandOptionType.Attachment:
      return { name: 'made-up.json', contentType: 'application/json', bytes: new TextEncoder().encode('made up') };
    case ApplicationCommandOptionType.Integer:
    case ApplicationCommandOptionType.Number:
      return option.min_value ?? 0;
    case ApplicationCommandOptionType.String:
      return option.choices?.[0]?.value ?? 'made up';
    default:
      throw new Error(`No input for ${option.name}`);
  }
}

describe('every command', () => {
  const typed = commands.filter((command): command is ChatCommand => command.kind !== 'message');
  const usages = typed.flatMap(({ name, options = [] }) => {
    const subcommands = options.filter((option) => option.type === ApplicationCommandOptionType.Subcommand);
    if (subcommands.length === 0) return [{ name, usage: name, filled: filledIn(options) }];
    return subcommands.map((sub) => ({ name, usage: `${name} ${sub.name}`, filled: filledIn(sub.options ?? []) }));
  });

  it.each(usages)('/$usage answers everybody wherever it is offered', async ({ name, usage, filled }) => {
    for (const who of Object.values(kinds)) {
      for (const place of [{ in: 'general' }, { in: '@bot' }]) {
        if (!who.seesCommands(place).some((offered) => offered.name === name)) continue;
        // Beside the bot there is nobody to choose in its direct messages: an id names anybody.
        const isId = place.in === '@bot' && 'user' in filled;
        const values = isId ? { ...filled, user: world.member('silenced').id } : filled;
        const said = await wordsOf(who.command(usage, values, place));
        expect(said, `/${usage} by ${who.name} in ${place.in}`).not.toMatch(BROKEN);
      }
    }
  });

  it('of a message answers everybody', async () => {
    const written = world.member('bob').says('Read me.');
    for (const { name } of commands.filter(({ kind }) => kind === 'message')) {
      for (const who of Object.values(kinds)) {
        const said = await textOf(who.usesOnMessage(name, written));
        expect(said, `${name} by ${who.name}`).not.toMatch(BROKEN);
      }
    }
  });

  it('for admins is not offered to others', () => {
    const admins = typed.filter(isForAdmins).map(({ name }) => name);
    expect(admins.length).toBeGreaterThan(0);
    for (const kind of ['member', 'muted', 'moderator', 'stranger']) {
      const offered = (kinds[kind] as Person).seesCommands({ in: 'general' }).map(({ name }) => name);
      for (const name of admins) expect(offered).not.toContain(name);
    }
  });
});

/** What the commands of an admin above change, filled in as `filledIn` does, whatever the order of the tests. */
const CHANGED_BY_THE_ADMIN = ['mutedMembers', 'autoReadChannels'];

it('after all that, the server is set as its admin has set it', async () => {
  const exported = await replyTo(olga.presses(await settingsPage(olga, 'data'), 'Export'));
  const file = JSON.parse(new TextDecoder().decode(exported.files[0]?.bytes));
  expect(Object.keys(file.settings).filter((name) => !CHANGED_BY_THE_ADMIN.includes(name))).toEqual([]);
});
