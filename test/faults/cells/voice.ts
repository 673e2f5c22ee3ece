import { type Cell, SPOKEN, TOLD, type When } from '../cell.ts';
import { grouped, lasting, onceThere, sleep } from './moments.ts';

const cell = grouped('The voice connection');
const ALL: readonly When[] = ['connecting', 'speaking', 'idle'];
/** One attempt to join takes 6 s before it is given up, and the next one begins after a pause. */
const ANSWER_LOST = {
  ...SPOKEN,
  recoveryMs: 8_000,
  because: 'an answer that never comes is known by the 6 s it is waited for',
};
const FAILOVER_MS = 1_500;

const lost: readonly Cell[] = [
  ...ALL.map((when) =>
    cell(
      'TCP cut',
      when,
      SPOKEN,
      onceThere(when, ({ world, client }) => world.voiceServer.cut(client)),
    ),
  ),
  cell('UDP silent for 5 s', 'connecting', SPOKEN, lasting(5_000, silentUdp)),
  cell(
    'UDP silent for 5 s',
    'speaking',
    { ...SPOKEN, recoveryMs: 5_000, because: 'speech waits until datagrams arrive again' },
    lasting(5_000, silentUdp),
    {
      seconds: [8, 4],
    },
  ),
  cell(
    'UDP silent for 5 s, from the last seconds of the text on',
    'speaking',
    { ...SPOKEN, recoveryMs: 5_000, because: 'speech waits until datagrams arrive again' },
    // One of its 6 s has been heard.
    async (scene) => {
      await sleep(4_000);
      await lasting(5_000, silentUdp)(scene);
    },
    { seconds: [6, 4] },
  ),
  cell(
    'UDP silent for 30 s',
    'speaking',
    {
      ...SPOKEN,
      first: 'spoken or told',
      words: /wasn’t spoken in full/,
      because: 'speech waits for 8 s, and then for three attempts to join: the connection is lost after those',
    },
    lasting(30_000, silentUdp),
    { seconds: [8, 4] },
  ),
  cell('UDP silent for 30 s', 'idle', SPOKEN, lasting(30_000, silentUdp), { isSecondLater: true }),
  cell('UDP silent for 5 s', 'idle', SPOKEN, lasting(5_000, silentUdp), { isSecondLater: true }),
  cell('UDP blocked for good', 'connecting', { ...TOLD, words: /firewall/ }, ({ world }) =>
    world.faults.blockUdp(true),
  ),
  cell('first datagram of discovery lost', 'connecting', SPOKEN, ({ world }) => world.faults.loseDiscoveries(1)),
  cell('first three datagrams of discovery lost', 'connecting', SPOKEN, ({ world }) => world.faults.loseDiscoveries(3)),
  ...([2, 4] as const).map((op) =>
    cell(
      `no op ${op} (${op === 2 ? 'Ready' : 'Session Description'}), once`,
      'connecting',
      ANSWER_LOST,
      lasting(2_000, ({ world }) => {
        world.faults.withholdVoiceAnswer(op, true);
        return () => world.faults.withholdVoiceAnswer(op, false);
      }),
    ),
  ),
];

function silentUdp({ world }: Parameters<Cell['inject']>[0]): () => void {
  world.faults.silenceUdp(true);
  return () => world.faults.silenceUdp(false);
}

const events: readonly Cell[] = [
  cell('voice server update before the state', 'connecting', SPOKEN, ({ world }) => world.faults.swapVoiceEvents(true)),
  ...['VOICE_SERVER_UPDATE', 'VOICE_STATE_UPDATE'].flatMap((name) => [
    cell(
      `${name} lost, once`,
      'connecting',
      ANSWER_LOST,
      lasting(2_000, ({ world }) => world.faults.loseEvent(name)),
    ),
    cell(`${name} 2 s late`, 'connecting', { ...SPOKEN }, ({ world, onEnd }) =>
      onEnd(world.faults.delayEvent(name, 2_000)),
    ),
    cell(`${name} twice`, 'connecting', SPOKEN, ({ world, onEnd }) => onEnd(world.faults.repeatEvent(name))),
  ]),
];

const failovers: readonly Cell[] = ([4022, 4014] as const).flatMap((closeCode) =>
  [false, true].flatMap((emptyEndpoint) =>
    ALL.map((when) =>
      cell(
        `failover of the voice server, close code ${closeCode}${emptyEndpoint ? ', announced' : ''}`,
        when,
        SPOKEN,
        onceThere(when, async ({ world, server }) => {
          world.faults.changeVoiceServer(server.guildId, { closeCode, emptyEndpoint, afterMs: FAILOVER_MS });
          await sleep(FAILOVER_MS);
        }),
      ),
    ),
  ),
);

const moderators: readonly Cell[] = [
  ...(['connecting', 'speaking'] as const).map((when) =>
    cell(
      'moved to a channel with a listener',
      when,
      SPOKEN,
      onceThere(when, (scene) => {
        scene.listens('Lounge', scene.server.newMember('carol').joins('Lounge'));
        scene.server.member('olga').drags('bot', 'Lounge');
      }),
    ),
  ),
  cell(
    'moved to a channel with a listener',
    'idle',
    { ...SPOKEN, second: 'told', words: /with others/ },
    ({ server }) => {
      server.newMember('carol').joins('Lounge');
      server.member('olga').drags('bot', 'Lounge');
    },
  ),
  ...(['connecting', 'speaking'] as const).map((when) =>
    cell(
      'moved to an empty channel',
      when,
      { ...TOLD, bot: 'stays' },
      onceThere(when, ({ server }) => server.member('olga').drags('bot', 'Lounge')),
    ),
  ),
  cell('moved to an empty channel', 'idle', SPOKEN, ({ server }) => server.member('olga').drags('bot', 'Lounge')),
  ...(['connecting', 'speaking'] as const).map((when) =>
    cell(
      'kicked',
      when,
      { ...TOLD, words: /disconnected/ },
      onceThere(when, ({ server }) => server.member('olga').disconnects('bot')),
    ),
  ),
  cell('kicked', 'idle', SPOKEN, ({ server }) => server.member('olga').disconnects('bot')),
  ...(['Speak', 'Connect'] as const).flatMap((permission) => [
    ...(['connecting', 'speaking'] as const).map((when) =>
      cell(
        `permission ${permission} lost`,
        when,
        { ...TOLD, bot: 'either', words: /missing/ },
        onceThere(when, ({ server }) => server.channel('General').denyBot(permission)),
      ),
    ),
    cell(
      `permission ${permission} lost`,
      'idle',
      { ...SPOKEN, second: 'told', bot: 'either', words: /missing/ },
      ({ server }) => server.channel('General').denyBot(permission),
    ),
  ]),
  ...(['connecting', 'speaking'] as const).map((when) =>
    cell(
      'channel deleted',
      when,
      { ...TOLD, words: /deleted/ },
      onceThere(when, ({ server }) => server.channel('General').delete()),
    ),
  ),
  cell('channel deleted', 'idle', { ...SPOKEN, second: 'told', bot: 'left' }, ({ server }) =>
    server.channel('General').delete(),
  ),
  cell('muted by a moderator', 'speaking', { ...TOLD, bot: 'either', words: /muted/ }, ({ server }) =>
    server.member('olga').serverMutes('bot', true),
  ),
  cell('all listeners leave', 'speaking', { ...TOLD, bot: 'stays', words: /No one is listening/ }, ({ alice, bob }) => {
    alice.leaves();
    bob.leaves();
  }),
  cell('a listener who comes back after 2 s', 'speaking', SPOKEN, async (scene) => {
    scene.alice.leaves();
    scene.bob.leaves();
    await sleep(2_000);
    scene.listens('General again', scene.bob.joins('General'));
  }),
];

export const VOICE: readonly Cell[] = [...lost, ...events, ...failovers, ...moderators];
