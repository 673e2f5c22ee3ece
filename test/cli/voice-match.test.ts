import { expect, test, vi } from 'vitest';
import { matchVoice } from '../../src/cli/speech/voice-match.ts';
import type { SpeechClient } from '../../src/speech/client/client.ts';

const { signal } = new AbortController();
const listed = {
  id: 'id-1',
  name: 'ash',
  model: 'gpro',
  language: 'en',
  formats: ['wav', 'mp3'],
  supports_style: true,
};

function serviceWith(...voices: (typeof listed)[]) {
  const list = vi.fn(async () => ({ voices }));
  return { list, client: { voices: list } as unknown as SpeechClient };
}

test('a voice named in full is looked up only for a format that its model is not known to make', async () => {
  const { client, list } = serviceWith(listed);
  const flags = { voice: 'ash', modelId: 'gpro' };
  const named = { kind: 'name', voice: 'ash', model: 'gpro' };
  expect(await matchVoice(client, flags, { format: 'wav', signal })).toMatchObject({ selection: named });
  expect(list).not.toHaveBeenCalled();
  expect(await matchVoice(client, flags, { format: 'mp3', signal })).toMatchObject({
    selection: { kind: 'id', voiceId: 'id-1', formats: ['wav', 'mp3'] },
  });
  const other = serviceWith({ ...listed, model: 'ext' });
  expect(await matchVoice(other.client, flags, { format: 'mp3', signal })).toMatchObject({ selection: named });
});
