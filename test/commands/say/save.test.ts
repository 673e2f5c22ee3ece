import { expect, it } from 'vitest';
import type { ControlCall } from '../../../src/commands/framework/command.ts';
import { saveButton } from '../../../src/commands/say/speech-files.ts';
import { UserError } from '../../../src/errors/user-errors.ts';
import { createFilesUnderWay, type FilesUnderWay } from '../../../src/services/playback/guild-speakers.ts';
import { OptedOutError } from '../../../src/services/servers/opt-outs.ts';
import type { FileOptions } from '../../../src/services/synthesis/synthesis-types.ts';
import type { SpeechRequest } from '../../../src/speech/request.ts';
import { text } from '../../../src/texts/catalog.ts';
import { itemOf, orderOf, requestedOf } from '../../services/queue/items.ts';
import { replyOf } from '../reply-of.ts';
import { servicesOf } from '../services.ts';

const request: SpeechRequest = { input: 'Hello', voice: { kind: 'id', voiceId: 'v' } };
const own = itemOf({ order: orderOf({ userId: '7' }), requested: { ...requestedOf(), request } });
const clip = { packets: [], durationMs: 20 };

function pressed(memory: {
  readonly item?: object;
  readonly spoken?: object;
  readonly meanwhile?: (files: FilesUnderWay) => void;
}) {
  const made: FileOptions[] = [];
  const files = createFilesUnderWay();
  const call = {
    argument: 'item',
    signal: new AbortController().signal,
    interaction: {
      inCachedGuild: () => true,
      guildId: '9',
      user: { id: '7' },
      memberPermissions: { has: () => false },
      channelId: '1',
      attachmentSizeLimit: 1e6,
    },
    services: servicesOf({
      files,
      localVoice: false,
      moderation: { note: () => undefined },
      texts: { blockedInRequest: async () => undefined },
      speakers: { find: () => ({ find: () => memory.item, spoken: () => memory.spoken }) },
      synthesizer: {
        file: async (_: SpeechRequest, options: FileOptions) => {
          made.push(options);
          memory.meanwhile?.(files);
          options.signal?.throwIfAborted();
          const facts = { creditsUsed: 0, cached: true, warnings: [] };
          return { bytes: new Uint8Array(1), extension: 'ogg', facts };
        },
      },
    }),
  } as unknown as ControlCall;
  return { call, made, files };
}

it('gives the sound that was heard as a file, so that nothing is paid for twice', async () => {
  const { call, made } = pressed({ item: own, spoken: { item: own, clip } });
  expect((await replyOf(saveButton, call)).files).toHaveLength(1);
  expect(made[0]).toMatchObject({ heard: clip, userId: '7', maxBytes: 1e6 });
});

it('has it made where its sound is not there, as while it is being spoken', async () => {
  const { call, made } = pressed({ item: own });
  await replyOf(saveButton, call);
  expect(made[0]?.heard).toBeUndefined();
});

it('is called off like any file that is being made', async () => {
  const why = new OptedOutError();
  const meanwhile = (files: FilesUnderWay) => files.end(({ authorId }) => authorId === 'alice', why);
  const { call, files } = pressed({ item: { ...own, order: { ...own.order, authorId: 'alice' } }, meanwhile });
  await expect(async () => replyOf(saveButton, call)).rejects.toThrow(why);
  expect(files.ofServer('9')).toEqual([]);
});

it('is called off before anything is made of it, also where its sound is at hand', async () => {
  const { call, made, files } = pressed({ item: own, spoken: { item: own, clip } });
  const work = await saveButton.begin(call as never);
  files.end(() => true, new OptedOutError());
  await expect((work as () => Promise<unknown>)()).rejects.toThrow(new OptedOutError());
  expect(made).toEqual([]);
});

it('is refused for what is forgotten, with the help that speaking it again has', async () => {
  await expect(async () => replyOf(saveButton, pressed({}).call)).rejects.toThrow(new UserError(text('replay.gone')));
});
