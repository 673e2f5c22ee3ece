import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createLogFeed } from '../../../src/playground/page/log-feed.ts';
import { followUtterances } from '../../../src/playground/page/utterances.ts';
import type { ObservedInteraction, World } from '../../../src/playground/world/world.ts';

let now: number;
beforeEach(() => {
  now = performance.now();
});

/** A world of which only the interactions and the changes matter here. */
function quietWorld() {
  const interactions = new Set<(interaction: ObservedInteraction) => void>();
  const changes = new Set<() => void>();
  const world = {
    members: [{ id: '1', displayName: 'Olga' }],
    channels: [],
    onInteraction: (callback: (interaction: ObservedInteraction) => void) => {
      interactions.add(callback);
      return () => interactions.delete(callback);
    },
    onChange: (callback: () => void) => {
      changes.add(callback);
      return () => changes.delete(callback);
    },
  } as unknown as World;
  return { world, interactions, changes };
}

const interaction = (id: string, text: string): ObservedInteraction => ({
  id,
  kind: 'command',
  commandName: 'say',
  control: undefined,
  answered: undefined,
  userId: '1',
  data: {
    options: [
      { name: 'voice', value: 'ada' },
      { name: 'text', value: text },
    ],
  },
  sentAtMs: now,
  acknowledgedAtMs: now + 12,
});

const at = (ms: number) => new Date(performance.timeOrigin + now + ms).toISOString();

describe('the way of a text', () => {
  let stop = () => {};
  afterEach(() => stop());

  test('has each step in milliseconds after its interaction, from Discord and from the bot’s log', () => {
    const { world, interactions, changes } = quietWorld();
    const feed = createLogFeed();
    const utterances = followUtterances(world, feed);
    stop = utterances.close;
    for (const send of interactions) send(interaction('7', 'Hello'));
    for (const change of changes) change();
    feed.push({ msg: 'Queued', time: at(20) });
    feed.push({ msg: 'Joined a voice channel', time: at(80) });
    feed.push({ msg: 'speech service answered', path: '/api/v1/speech', durationMs: 60, time: at(100) });
    feed.push({
      msg: 'Command',
      interactionId: '7',
      outcome: 'done',
      voice: 'ada',
      requestId: 'req_1',
      creditsUsed: 5,
      creditsRemaining: 95,
      time: at(900),
    });
    const [only] = utterances.latest;
    expect(only).toMatchObject({
      by: 'Olga',
      command: 'say',
      text: 'Hello',
      outcome: 'done',
      voice: 'ada',
      requestId: 'req_1',
      credits: { used: 5, remaining: 95 },
    });
    const near = (ms: number) => expect.closeTo(ms, -0.5);
    expect(only?.steps).toEqual({
      acknowledged: near(12),
      encrypted: near(80),
      requested: near(40),
      answered: near(100),
      done: near(900),
    });
  });

  test('belongs to the oldest text that waits for it', () => {
    const { world, interactions } = quietWorld();
    const feed = createLogFeed();
    const utterances = followUtterances(world, feed);
    stop = utterances.close;
    for (const send of interactions) send(interaction('1', 'one'));
    feed.push({ msg: 'Queued', time: at(5) });
    for (const send of interactions) send(interaction('2', 'two'));
    feed.push({ msg: 'Queued', time: at(6) });
    feed.push({ msg: 'speech service answered', path: '/api/v1/speech', durationMs: 1, time: at(10) });
    expect(utterances.latest.map(({ steps }) => steps.answered !== undefined)).toEqual([true, false]);
  });

  test('has the words and the name of a button, of a form, and of a command on a message', () => {
    const { world, interactions } = quietWorld();
    const utterances = followUtterances(world, createLogFeed());
    stop = utterances.close;
    const send = (sent: ObservedInteraction) => {
      for (const each of interactions) each(sent);
    };
    send(interaction('1', 'one'));
    const pressed = { kind: 'component', commandName: undefined, control: 'Speak again', data: {} } as const;
    send({ ...interaction('2', ''), ...pressed, answered: '1' });
    send({ ...interaction('3', ''), ...pressed, answered: '2' });
    const fields = { components: [{ component: { custom_id: 'text', value: 'a long one' } }] };
    send({ ...interaction('4', ''), ...pressed, kind: 'modalSubmit', control: 'Long text', data: fields });
    const onMessage = { type: 3, target_id: '9', resolved: { messages: { 9: { content: 'hers' } } } };
    send({ ...interaction('5', ''), commandName: 'Speak this message', data: onMessage });
    expect(utterances.latest.map(({ command, control, text }) => [command, control, text])).toEqual([
      ['say', '', 'one'],
      ['', 'Speak again', 'one'],
      ['', 'Speak again', 'one'],
      ['', 'Long text', 'a long one'],
      ['', 'Speak this message', 'hers'],
    ]);
  });

  test('is not shown for what is typed into an option', () => {
    const { world, interactions } = quietWorld();
    const utterances = followUtterances(world, createLogFeed());
    stop = utterances.close;
    for (const send of interactions) send({ ...interaction('1', 'one'), kind: 'autocomplete' });
    expect(utterances.latest).toEqual([]);
  });
});
