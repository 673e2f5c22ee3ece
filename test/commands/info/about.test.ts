import { expect, it } from 'vitest';
import type { CommandCall } from '../../../src/commands/framework/command.ts';
import { about } from '../../../src/commands/info/about.ts';
import { version } from '../../../src/process/package.ts';
import { render } from '../../../src/texts/catalog.ts';
import { replyOf } from '../reply-of.ts';
import { servicesOf } from '../services.ts';

async function words(ping: number, localVoice: boolean): Promise<string> {
  const call = {
    interaction: { client: { ws: { ping } } },
    services: servicesOf({ localVoice }),
  } as unknown as CommandCall;
  return (await replyOf(about, call)).lines.map((line) => render(line)).join('\n');
}

it('/about says which bot this is, what speaks, and how fast Discord answers', async () => {
  const said = await words(41.6, true);
  expect(said).toContain(`Crier ${version}`);
  expect(said).toContain('The voice is free');
  expect(said).toContain('42 ms');
  expect(await words(12, false)).toContain('comes from a speech service');
});

it('/about leaves out what is not known yet', async () => {
  expect(await words(-1, true)).not.toContain('ms.');
});
