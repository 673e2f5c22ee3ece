import { expect, it } from 'vitest';
import type { ChatCommand } from '../../../src/commands/framework/command.ts';
import { commands } from '../../../src/commands/index.ts';
import { createHelp } from '../../../src/commands/info/help.ts';
import { callOf, linesOf } from '../scene.ts';

const help = createHelp(() => commands) as ChatCommand;

function asked<Call>(typed: string, { localVoice = false, inServer = true, isManager = true } = {}) {
  const interaction = {
    inCachedGuild: () => inServer,
    memberPermissions: { has: () => isManager },
    options: { getString: () => typed, getFocused: () => typed },
  };
  return callOf<Call>(interaction, { localVoice, commandIds: new Map([['dictionary export', '7']]) });
}

type Asked = Parameters<typeof asked>;
const explained = async (...given: Asked) => (await linesOf(help, asked(...given))).join('\n');
const names = async (...given: Asked) => ((await help.complete?.(asked(...given))) ?? []).map(({ name }) => name);

it('says of a style that it is billed, where speech costs', async () => {
  const says = (name: string, localVoice: boolean) => explained(name, { localVoice });
  for (const name of ['say', 'voice']) {
    expect(await says(name, false)).toContain('a style is billed as well: it adds its length plus 4 characters');
    expect(await says(name, true)).not.toContain('billed');
  }
  expect(await says('stop', false)).not.toContain('billed');
});

it('lets members click the commands that a description names', async () => {
  expect(await explained('dictionary')).toContain('such as one from </dictionary export:7>');
});

it('suggests what its reader may use there, and nothing of the owner’s', async () => {
  const forManagers = ['settings', 'setup', 'dictionary'];
  expect(await names('')).toEqual(expect.arrayContaining([...forManagers, 'say', 'Read aloud']));
  const forMembers = await names('', { isManager: false });
  expect(forMembers).toEqual(expect.arrayContaining(['say', 'voice']));
  for (const name of [...forManagers, 'owner']) expect(forMembers).not.toContain(name);
  expect(await names('', { inServer: false })).not.toContain('queue');
  expect(await names('/VOICES')).toEqual(['voices']);
  expect(await names('voice na')).toEqual(['voice']);
  expect((await names('')).length).toBeLessThanOrEqual(25);
});

it('takes a name as it is typed, and refuses one that is none', async () => {
  expect(await explained('/SAY')).toContain('**/say**');
  expect(await explained('/voice set')).toContain('**/voice set**');
  await expect(async () => explained('owner')).rejects.toThrow('help.unknown');
  await expect(async () => explained('queue', { inServer: false })).rejects.toThrow('refused.server-only');
});
