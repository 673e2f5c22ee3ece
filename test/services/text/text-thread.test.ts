import { pino } from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import { UserError } from '../../../src/errors/user-errors.ts';
import { createTextTasks, type TextTask } from '../../../src/services/text/text-tasks.ts';
import { createTextThread } from '../../../src/services/text/text-thread.ts';

type Words = Extract<TextTask, { kind: 'server-words' }>;

const log = pino({ level: 'silent' });

function opened(options: Partial<Parameters<typeof createTextThread>[0]> = {}) {
  const thread = createTextThread({ log, ...options });
  onTestFinished(() => thread.close());
  return thread;
}

const task = (words: string): Words => ({
  kind: 'server-words',
  words,
  how: { locale: 'en-US' },
  rules: { blockedWords: ['darn'], blockedWordsMode: 'bleep', dictionary: '[]' },
});

/** A thread that does what its text says. */
const program = (script: string) =>
  new URL(`data:text/javascript,${encodeURIComponent(`import { parentPort } from 'node:worker_threads';${script}`)}`);

const obedient = program(`
  parentPort.on('message', ({ words }) => {
    if (words === 'crash') process.exit(1);
    if (words === 'throw') parentPort.postMessage({ error: new RangeError('thrown') });
    else if (words !== 'hang') parentPort.postMessage({ result: { outcome: 'spoken', words } });
  });
`);

const refusal = (key: string) => expect.objectContaining({ text: expect.objectContaining({ key }) });

describe('the text thread', () => {
  it('does what would be done in turn', async () => {
    const thread = opened();
    const context = { locale: 'en-US', now: 0, users: new Map([['7', 'Bob']]), channels: new Map(), roles: new Map() };
    const nothing = { timeZone: undefined, tags: undefined, attachments: undefined, stickers: undefined };
    const tasks: TextTask[] = [
      task('darn it'),
      { ...task('darn it, darn you'), rules: { ...task('').rules, blockedWordsExceptions: ['darn you'] } },
      {
        kind: 'readable',
        written: '**Hi** <@7> 😀',
        context: { ...context, ...nothing, replyTo: undefined, emojiNames: undefined },
      },
      { kind: 'import', file: 'a\tb\nbroken' },
    ];
    const inTurn = createTextTasks();
    for (const one of tasks) expect(await thread.run('1', one)).toEqual(inTurn(one));
  });

  it('serves the servers in turn, whatever one of them sends', async () => {
    const thread = opened({ program: obedient });
    const done: string[] = [];
    const sent = ['a1', 'a2', 'a3', 'b1', 'c1', 'b2'].map(async (words) => {
      await thread.run(words.charAt(0), task(words));
      done.push(words);
    });
    await Promise.all(sent);
    expect(done).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2']);
  });

  it('refuses a text for which there are too many of the same server, and takes those of others', async () => {
    const thread = opened({ program: obedient });
    const many = Array.from({ length: 25 }, () =>
      thread.run('a', task('word')).then(
        () => 'done',
        () => 'refused',
      ),
    );
    const other = thread.run('b', task('word'));
    expect((await Promise.all(many)).filter((end) => end === 'refused')).toHaveLength(4);
    expect(await other).toEqual({ outcome: 'spoken', words: 'word' });
  });

  it('hands on an error, and outlives it', async () => {
    const thread = opened({ program: obedient });
    await expect(thread.run('a', task('throw'))).rejects.toThrow('thrown');
    expect(await thread.run('a', task('next'))).toMatchObject({ words: 'next' });
  });

  it('is started anew when it ends or hangs, with what waited', async () => {
    const thread = opened({ program: obedient, deadlineMs: 3_000 });
    const ends = ['crash', 'after the crash', 'hang', 'after the hang'].map((words) => thread.run('a', task(words)));
    const [crash, afterCrash, hang, afterHang] = await Promise.allSettled(ends);
    expect(crash?.status).toBe('rejected');
    expect(afterCrash).toMatchObject({ value: { words: 'after the crash' } });
    expect(hang).toMatchObject({ reason: refusal('say.text-too-slow') });
    expect(afterHang).toMatchObject({ value: { words: 'after the hang' } });
  });

  it('refuses everything once it is closed', async () => {
    const thread = createTextThread({ log, program: obedient });
    const under = [thread.run('a', task('hang')), thread.run('a', task('waiting'))];
    const ended = Promise.allSettled(under);
    await thread.close();
    for (const end of await ended) expect(end).toMatchObject({ reason: expect.any(UserError) });
    await expect(thread.run('a', task('late'))).rejects.toBeInstanceOf(UserError);
    await thread.close();
  });
});
