import {
  DiscordAPIError,
  DiscordjsError,
  DiscordjsErrorCodes,
  type Message,
  MessageFlags,
  RESTJSONErrorCodes,
} from 'discord.js';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type AnswerContent, type AnsweredInteraction, createAnswer } from '../../../src/discord/replies/answer.ts';

const log = pino({ level: 'silent' });
const words = (content: string): AnswerContent => ({ form: 'words', content, components: [], files: [] });

const apiError = (code: number) =>
  new DiscordAPIError({ code, message: 'No' }, code, 401, 'PATCH', 'https://discord.test', {});

interface Expiring {
  /** What Discord says from then on. */
  readonly error?: DiscordAPIError;
  /** What becomes of an edit of the message itself. */
  readonly editing?: () => Promise<void>;
}

/** An interaction whose 15 minutes end when `expire` is called. */
function expiring({ error = apiError(RESTJSONErrorCodes.InvalidWebhookToken), editing }: Expiring = {}) {
  const calls: string[] = [];
  let isOver = false;
  const called = (method: string) => async (message?: { content?: string }) => {
    if (isOver) throw error;
    calls.push([method, message?.content].filter(Boolean).join(' '));
  };
  const message = {
    edit: async ({ content }: { content?: string }) => {
      await editing?.();
      calls.push(`edit the message ${content}`);
    },
  };
  const editReply = called('edit');
  const interaction = {
    id: '1',
    deferred: false,
    ephemeral: null,
    reply: called('reply'),
    deferReply: called('defer'),
    deleteReply: called('delete'),
    followUp: called('follow up'),
    async editReply(changed: { content?: string }) {
      await editReply(changed);
      return message as unknown as Message;
    },
  } as unknown as AnsweredInteraction;
  const answer = createAnswer(interaction, { repeated: () => false, log });
  const expire = () => {
    isOver = true;
  };
  return { answer, calls, expire };
}

/** The same after it was deferred, its progress was shown, and its 15 minutes are over. */
async function expired({ ephemeral, ...options }: { ephemeral: boolean } & Expiring) {
  const { answer, calls, expire } = expiring(options);
  await answer.defer(ephemeral ? 'caller' : 'everyone');
  answer.progress(words('Waiting'));
  await new Promise((shown) => setImmediate(shown));
  expire();
  return { answer, calls };
}

describe('an answer that comes after the interaction’s 15 minutes', () => {
  it('reports a failure there, because there is no other way to report it', async () => {
    const { answer, calls } = await expired({ ephemeral: false });
    await answer.conclude(words('Failed'), 'caller');
    expect(calls.at(-1)).toBe('edit the message Failed');
  });

  it('tells others no more than they may read', async () => {
    const { answer, calls } = await expired({ ephemeral: false });
    await answer.conclude(words('You are muted'), 'caller', words('Not allowed'));
    expect(calls.slice(-1)).toEqual(['edit the message Not allowed']);
  });

  it('is lost without an error where only the caller sees the message', async () => {
    const { answer, calls } = await expired({ ephemeral: true });
    await answer.conclude(words('Spoken'), 'caller');
    expect(calls).toEqual(['defer', 'edit Waiting']);
  });

  it('does not bring back a message that was deleted', async () => {
    const { answer, calls } = await expired({ ephemeral: false, error: apiError(RESTJSONErrorCodes.UnknownMessage) });
    await answer.conclude(words('Spoken'), 'everyone');
    expect(calls).toEqual(['defer', 'edit Waiting']);
  });

  it('is lost without an error in a channel that discord.js does not keep: a private thread, direct messages', async () => {
    const editing = async () => {
      throw Reflect.construct(DiscordjsError, [DiscordjsErrorCodes.ChannelNotCached]);
    };
    const { answer, calls } = await expired({ ephemeral: false, editing });
    await answer.conclude(words('Spoken'), 'everyone');
    expect(calls).toEqual(['defer', 'edit Waiting']);
  });
});

/** An interaction of which Discord refuses some calls, and what it took. */
function interaction(refused: Record<string, unknown> = {}) {
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
  const fake = {
    id: '1',
    deferred: false,
    ephemeral: null,
    reply: called('reply'),
    deferReply: called('defer'),
    deferUpdate: called('defer update'),
    editReply: called('edit'),
    deleteReply: called('delete'),
    followUp: called('follow up'),
  };
  const answer = createAnswer(fake as unknown as AnsweredInteraction, { repeated: () => false, log });
  return { answer, calls };
}

const SPOKEN: AnswerContent = {
  ...words(''),
  form: 'voice-message',
  files: [{ name: 'voice-message.ogg', attachment: Buffer.from('OggS') }],
};

describe('a voice message', () => {
  it.each([
    ['everybody', false],
    ['its caller alone', true],
  ])('for %s takes the placeholder away first: what fills one becomes a plain file', async (_, ephemeral) => {
    const { answer, calls } = interaction();
    await answer.defer(ephemeral ? 'caller' : 'everyone');
    await answer.conclude(SPOKEN, ephemeral ? 'caller' : 'everyone');
    const hidden = ephemeral ? ' hidden' : '';
    expect(calls).toEqual([`defer${hidden}`, 'delete', `follow up${hidden} a voice message`]);
  });

  it('does not take away the message on whose button it was asked for', async () => {
    const { answer, calls } = interaction();
    await answer.defer('message');
    await answer.conclude(SPOKEN, 'caller');
    expect(calls).toEqual(['defer update', 'follow up hidden a voice message']);
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

  it('can be said in other words in the placeholder', async () => {
    const { answer, calls } = interaction({ 'edit Too much': refusal });
    await answer.defer('everyone');
    await expect(answer.conclude(words('Too much'), 'everyone')).rejects.toBe(refusal);
    await answer.conclude(words('Less'), 'everyone');
    expect(calls).toEqual(['defer', 'edit Less']);
  });

  it('can be said in other words after the placeholder is gone', async () => {
    const { answer, calls } = interaction({ 'voice message': refusal });
    await answer.defer('everyone');
    await expect(answer.conclude(SPOKEN, 'everyone')).rejects.toBe(refusal);
    await answer.conclude(words('A file'), 'everyone');
    expect(calls).toEqual(['defer', 'delete', 'follow up A file']);
  });

  it('can be said in other words where nothing was said yet', async () => {
    const { answer, calls } = interaction({ 'reply Too much': refusal });
    await expect(answer.conclude(words('Too much'), 'everyone')).rejects.toBe(refusal);
    await answer.conclude(words('Less'), 'caller');
    expect(calls).toEqual(['reply hidden Less']);
  });

  it('is the last word nevertheless once Discord has taken one', async () => {
    const { answer } = interaction();
    await answer.conclude(words('Said'), 'caller');
    await expect(answer.conclude(words('Again'), 'caller')).rejects.toThrow('answered twice');
  });
});

describe('the pace of edits', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  /** A deferred answer to which Discord says what `edited` says, and what it was sent. */
  async function paced(edited: () => Promise<void> = async () => undefined) {
    const sent: string[] = [];
    const editReply = async ({ content }: { content?: string }) => {
      sent.push(content ?? '');
      await edited();
    };
    const fake = { id: '1', ephemeral: null, deferReply: async () => undefined, editReply };
    const answer = createAnswer(fake as unknown as AnsweredInteraction, { repeated: () => false, log });
    await answer.defer('everyone');
    return { sent, show: (content: string) => answer.progress(words(content)), answer };
  }

  it('sends the first at once, and of the following only the newest when its time has come, after one that failed too', async () => {
    let fails = true;
    const { sent, show } = await paced(async () => {
      if (fails) throw apiError(RESTJSONErrorCodes.InvalidFormBodyOrContentType);
    });
    show('joining');
    show('part 1');
    show('part 2');
    await vi.advanceTimersByTimeAsync(1_499);
    expect(sent).toEqual(['joining']);
    fails = false;
    await vi.advanceTimersByTimeAsync(1);
    expect(sent).toEqual(['joining', 'part 2']);
    await vi.advanceTimersByTimeAsync(10_000);
    show('done');
    expect(sent).toEqual(['joining', 'part 2', 'done']);
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
