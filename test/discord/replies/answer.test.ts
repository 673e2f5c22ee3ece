import { DiscordAPIError, DiscordjsError, DiscordjsErrorCodes, MessageFlags, RESTJSONErrorCodes } from 'discord.js';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { type AnsweredInteraction, createAnswer } from '../../../src/discord/replies/answer.ts';
import type { AnswerContent } from '../../../src/discord/replies/layout.ts';
import { silentLog as log } from '../../silent-log.ts';

const words = (content: string): AnswerContent => ({ form: 'words', content, components: [], files: [] });

const apiError = (code: number) =>
  new DiscordAPIError({ code, message: 'No' }, code, 401, 'PATCH', 'https://discord.test', {});

function interaction(refused: Record<string, unknown> = {}, editing = async () => {}) {
  const calls: string[] = [];
  const called =
    (method: string) =>
    async (message: { content?: string; flags?: number | readonly number[] } = {}) => {
      const flags = [message.flags ?? []].flat();
      const isVoice = flags.includes(MessageFlags.IsVoiceMessage);
      const what = isVoice ? 'a voice message' : message.content;
      const failure = refused[isVoice ? 'voice message' : method] ?? refused[`${method} ${what}`];
      if (failure !== undefined) throw failure;
      calls.push([method, flags.includes(MessageFlags.Ephemeral) && 'hidden', what].filter(Boolean).join(' '));
    };
  const editReply = called('edit');
  const fake = {
    id: '1',
    deferred: false,
    ephemeral: null,
    reply: called('reply'),
    deferReply: called('defer'),
    deferUpdate: called('defer update'),
    deleteReply: called('delete'),
    followUp: called('follow up'),
    async editReply(changed: { content?: string }) {
      await editReply(changed);
      return {
        async edit({ content }: { content?: string }) {
          await editing();
          calls.push(`edit the message ${content}`);
        },
      };
    },
  };
  const answer = createAnswer(fake as unknown as AnsweredInteraction, log);
  return { answer, calls };
}

/** One that was deferred and showed its progress, and whose 15 minutes are over; `editing` edits the message itself. */
async function expired({
  ephemeral = false,
  error = apiError(RESTJSONErrorCodes.InvalidWebhookToken),
  editing = async () => {},
} = {}) {
  const refused: Record<string, unknown> = {};
  const { answer, calls } = interaction(refused, editing);
  await answer.defer(ephemeral ? 'caller' : 'everyone');
  answer.progress(words('Waiting'));
  await new Promise((shown) => setImmediate(shown));
  for (const method of ['edit', 'delete', 'follow up']) refused[method] = error;
  calls.length = 0;
  return { answer, calls };
}

describe('an answer that comes after the interaction’s 15 minutes', () => {
  it('goes into the message itself, and tells others no more than they may read', async () => {
    const failed = await expired();
    await failed.answer.conclude(words('Failed'), 'caller');
    expect(failed.calls).toEqual(['edit the message Failed']);
    const { answer, calls } = await expired();
    await answer.conclude(words('You are muted'), 'caller', words('Not allowed'));
    expect(calls).toEqual(['edit the message Not allowed']);
  });

  const uncached = async () => {
    throw Reflect.construct(DiscordjsError, [DiscordjsErrorCodes.ChannelNotCached]);
  };
  it.each<[string, NonNullable<Parameters<typeof expired>[0]>]>([
    ['only the caller sees the message', { ephemeral: true }],
    ['the message was deleted', { error: apiError(RESTJSONErrorCodes.UnknownMessage) }],
    ['discord.js does not keep the channel: a private thread, direct messages', { editing: uncached }],
  ])('is lost without an error where %s', async (_, options) => {
    const { answer, calls } = await expired(options);
    await answer.conclude(words('Spoken'), options.ephemeral ? 'caller' : 'everyone');
    expect(calls).toEqual([]);
  });
});

const SPOKEN: AnswerContent = {
  ...words(''),
  form: 'voice-message',
  files: [{ name: 'voice-message.ogg', attachment: Buffer.from('OggS') }],
};

describe('a voice message', () => {
  it.each([
    ['takes the placeholder away first: what fills one becomes a file', 'everyone', 'everyone', ['defer', 'delete']],
    ['does so for its caller alone', 'caller', 'caller', ['defer hidden', 'delete']],
    ['does not take away the message on whose button it was asked for', 'message', 'caller', ['defer update']],
  ] as const)('%s', async (_, deferredFor, replyTo, before) => {
    const { answer, calls } = interaction();
    await answer.defer(deferredFor);
    await answer.conclude(SPOKEN, replyTo);
    expect(calls).toEqual([...before, `follow up${replyTo === 'caller' ? ' hidden' : ''} a voice message`]);
  });

  it('is refused where the placeholder stays', async () => {
    const { answer, calls } = interaction({ delete: new Error('socket lost') });
    await answer.defer('everyone');
    await expect(answer.conclude(SPOKEN, 'everyone')).rejects.toThrow('No edit makes a voice message');
    await answer.conclude(words('A file'), 'everyone');
    expect(calls).toEqual(['defer', 'edit A file']);
  });
});

describe('what Discord refuses', () => {
  const refusal = apiError(RESTJSONErrorCodes.InvalidFormBodyOrContentType);
  const page = Object.assign(apiError(0), { code: undefined });

  it.each([
    ['can be said in other words: in the placeholder, after it is gone, and where nothing was said yet', refusal],
    ['can be said in other words too where Cloudflare answers with a page, which has no code', page],
  ])('%s', async (_, refusal) => {
    const deferred = interaction({ 'edit Too much': refusal });
    await deferred.answer.defer('everyone');
    await expect(deferred.answer.conclude(words('Too much'), 'everyone')).rejects.toBe(refusal);
    await deferred.answer.conclude(words('Less'), 'everyone');
    expect(deferred.calls).toEqual(['defer', 'edit Less']);

    const removed = interaction({ 'voice message': refusal });
    await removed.answer.defer('everyone');
    await expect(removed.answer.conclude(SPOKEN, 'everyone')).rejects.toBe(refusal);
    await removed.answer.conclude(words('A file'), 'everyone');
    expect(removed.calls).toEqual(['defer', 'delete', 'follow up A file']);

    const open = interaction({ 'reply Too much': refusal });
    await expect(open.answer.conclude(words('Too much'), 'everyone')).rejects.toBe(refusal);
    await open.answer.conclude(words('Less'), 'caller');
    expect(open.calls).toEqual(['reply hidden Less']);
  });

  it('is the last word nevertheless once Discord has taken one', async () => {
    const { answer } = interaction();
    await answer.conclude(words('Said'), 'caller');
    await expect(answer.conclude(words('Again'), 'caller')).rejects.toThrow('answered twice');
  });
});

describe('the pace of edits', () => {
  beforeEach(() => void vi.useFakeTimers());

  async function paced(edited: () => Promise<void> = async () => undefined) {
    const sent: string[] = [];
    const editReply = async ({ content }: { content?: string }) => {
      sent.push(content ?? '');
      await edited();
    };
    const fake = { id: '1', ephemeral: null, deferReply: async () => undefined, editReply };
    const answer = createAnswer(fake as unknown as AnsweredInteraction, log);
    await answer.defer('everyone');
    const show = (content: string, atOnce?: boolean) => answer.progress(words(content), atOnce);
    return { sent, show, answer };
  }

  it('sends the first at once, and of the following only the newest when its time has come, after one that failed too', async () => {
    let fails = true;
    const { sent, show } = await paced(async () => {
      if (fails) throw apiError(RESTJSONErrorCodes.InvalidFormBodyOrContentType);
    });
    show('joining');
    show('part 1');
    show('part 2');
    await vi.advanceTimersByTimeAsync(1_699);
    expect(sent).toEqual(['joining']);
    fails = false;
    await vi.advanceTimersByTimeAsync(1);
    expect(sent).toEqual(['joining', 'part 2']);
    await vi.advanceTimersByTimeAsync(10_000);
    show('done');
    expect(sent).toEqual(['joining', 'part 2', 'done']);
  });

  it('sends one of the following at once, and so leaves one of Discord’s five in 5 s for the last word', async () => {
    const { sent, show, answer } = await paced();
    show('joining');
    show('speaking', true);
    expect(sent).toEqual(['joining']);
    await vi.advanceTimersByTimeAsync(0);
    expect(sent).toEqual(['joining', 'speaking']);
    for (let ms = 0; ms < 4_900; ms += 100) {
      show(`part ${ms}`, true);
      await vi.advanceTimersByTimeAsync(100);
    }
    await answer.conclude(words('the end'), 'everyone');
    expect(sent).toHaveLength(5);
  });

  it('never has two under way, however slow Discord is, and the last word waits for the one in flight', async () => {
    const slow = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const { sent, show, answer } = await paced(() => slow[sent.length - 1]?.promise ?? Promise.resolve());
    for (const content of ['one', 'two']) show(content);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(sent).toEqual(['one']);
    slow[0]?.resolve();
    await vi.advanceTimersByTimeAsync(0);
    expect(sent).toEqual(['one', 'two']);
    show('three');
    const concluded = answer.conclude(words('the end'), 'everyone');
    await vi.advanceTimersByTimeAsync(5_000);
    expect(sent).toEqual(['one', 'two']);
    slow[1]?.resolve();
    await concluded;
    show('too late');
    await vi.advanceTimersByTimeAsync(5_000);
    expect(sent).toEqual(['one', 'two', 'the end']);
  });

  it('repeats the last word through an outage, with pauses', async () => {
    let left = 3;
    const lost = Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' });
    const { sent, answer } = await paced(async () => {
      left -= 1;
      if (left >= 0) throw lost;
    });
    const concluded = answer.conclude(words('the end'), 'everyone');
    await vi.advanceTimersByTimeAsync(5_000);
    await concluded;
    expect(sent).toHaveLength(4);
  });
});
