import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Demo } from '../../../src/playground/demo/demo.ts';
import { temporaryFolder } from '../../temporary-folder.ts';

test('a configured voice that is not there is refused, with the way for settings of --set', async () => {
  for (const name of ['VOICE_API_URL', 'VOICE_API_KEY', 'SPEECH_ENGINES', 'SPEECH_ENGINE_URL'])
    vi.stubEnv(name, undefined);
  await expect(Demo.start({ configuredVoice: true, settings: { SPEECH_ENGINES: 'engines.toml' } })).rejects.toThrow(
    '--set SPEECH_ENGINES=FILE alone works.',
  );
});

test('a configured voice has the limits that are configured beside it, and --set goes before them', async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'engines.toml');
  writeFileSync(file, '[[engines]]\nname = "priced"\nkind = "embedded"\ncredits_per_character = 1\n');
  const configured = {
    VOICE_API_URL: '',
    VOICE_API_KEY: '',
    SPEECH_ENGINE_URL: '',
    SPEECH_ENGINES: file,
    SPENDING_PER_DAY: '0',
    SPENDING_PER_SERVER_PER_DAY: '7000',
    SPENDING_PER_MEMBER_PER_DAY: '700',
  };
  for (const [name, value] of Object.entries(configured)) vi.stubEnv(name, value);
  const demo = await Demo.start({ configuredVoice: true, settings: { SPENDING_PER_MEMBER_PER_DAY: '600' } });
  onTestFinished(() => demo.close());
  expect(demo.mayCost).toBe(true);
  const alice = demo.world.member('alice');
  alice.joins('General');
  const said = await alice.types('/say text:Hello');
  expect((await said.reply()).text).toContain('the daily limit is 0.');
  const { text: credits } = await (await alice.types('/credits')).reply();
  expect(credits).toContain('600');
  expect(credits).toContain('7,000');
});

test('messages can be read aloud unless the environment says otherwise', async () => {
  vi.stubEnv('READ_MESSAGES', undefined);
  const demo = await Demo.start({ configuredVoice: false, settings: {} });
  onTestFinished(() => demo.close());
  const read = await demo.world.member('olga').command('settings read', { channel: 'general' }, { in: 'general' });
  expect((await read.reply()).text).toContain('Channels read aloud: now');
});

test('a folder for the data that cannot be made is refused, as below /proc, where Node’s own mkdir does not return', async () => {
  await expect(Demo.start({ configuredVoice: false, settings: {}, data: '/proc/x' })).rejects.toThrow(
    /--data \/proc\/x cannot be made: ENOENT.*Choose another folder\./,
  );
});
