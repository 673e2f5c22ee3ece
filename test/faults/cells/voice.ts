import { type Cell, type CellScene, SPOKEN, TOLD, type Wanted, type When } from '../cell.ts';
import { atAll, grouped, lasting, rowsOf, sleep, underWay } from './moments.ts';

const cell = grouped('The voice connection');
const rows = rowsOf('The voice connection');
/** An attempt to join is given up after 6 s, and the next attempt starts after a pause. */
const ANSWER_LOST = {
  ...SPOKEN,
  recoveryMs: 8_000,
  because: 'an answer that never comes is known by the 6 s it is waited for',
};
const FAILOVER_MS = 1_500;

const UDP_WAITS = { ...SPOKEN, recoveryMs: 5_000, because: 'speech waits until datagrams arrive again' };
const LOST_AT_LAST: Wanted = {
  ...SPOKEN,
  first: 'spoken or told',
  words: /wasn’t spoken in full/,
  because: 'speech waits for 8 s, and then for three attempts to join: the connection is lost after those',
};

const lost: readonly Cell[] = [
  ...rows('TCP cut', atAll(SPOKEN), ({ world, client }) => world.voiceServer.cut(client)),
  cell('UDP silent for 5 s', 'connecting', SPOKEN, lasting(5_000, silentUdp)),
  cell('UDP silent for 5 s', 'speaking', UDP_WAITS, lasting(5_000, silentUdp), { seconds: [8, 4] }),
  cell(
    'UDP silent for 5 s, from the last seconds of the text on',
    'speaking',
    UDP_WAITS,
    // Faults come after a second of speech. After 4 s more, a second of the text's six is left.
    async (scene) => {
      await sleep(4_000);
      await lasting(5_000, silentUdp)(scene);
    },
    { seconds: [6, 4] },
  ),
  cell('UDP silent for 30 s', 'speaking', LOST_AT_LAST, lasting(30_000, silentUdp), { seconds: [8, 4] }),
  cell('UDP silent for 30 s', 'idle', SPOKEN, lasting(30_000, silentUdp), { isSecondLater: true }),
  cell('UDP silent for 5 s', 'idle', SPOKEN, lasting(5_000, silentUdp), { isSecondLater: true }),
  cell('UDP blocked for good', 'connecting', { ...TOLD, words: /firewall/ }, ({ world }) =>
    world.faults.blockUdp(true),
  ),
  ...([1, 3] as const).map((discoveriesToLose) =>
    cell(
      `first ${discoveriesToLose === 1 ? 'datagram' : 'three datagrams'} of discovery lost`,
      'connecting',
      SPOKEN,
      ({ world }) => void Object.assign(world.voiceServer.settings, { discoveriesToLose }),
    ),
  ),
  ...([2, 4] as const).map((op) =>
    cell(
      `no op ${op} (${op === 2 ? 'Ready' : 'Session Description'}), once`,
      'connecting',
      ANSWER_LOST,
      lasting(2_000, ({ world }) => {
        const { withheldOps } = world.voiceServer.settings;
        withheldOps.add(op);
        return () => withheldOps.delete(op);
      }),
    ),
  ),
];

function silentUdp({ world }: Parameters<Cell['inject']>[0]): () => void {
  const { settings } = world.voiceServer;
  settings.isUdpSilent = true;
  return () => {
    settings.isUdpSilent = false;
  };
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
  [false, true].flatMap((emptyEndpoint) => {
    const name = `failover of the voice server, close code ${closeCode}${emptyEndpoint ? ', announced' : ''}`;
    return rows(name, atAll(SPOKEN), async ({ world, server }) => {
      world.faults.changeVoiceServer(server.guildId, { closeCode, emptyEndpoint, afterMs: FAILOVER_MS });
      await sleep(FAILOVER_MS);
    });
  }),
);

const toLounge = ({ server }: CellScene) => server.member('olga').drags('bot', 'Lounge');
const kick = ({ server }: CellScene) => server.member('olga').disconnects('bot');
const deletion = ({ server }: CellScene) => server.channel('General').delete();

const moderators: readonly Cell[] = [
  ...rows('moved to a channel with a listener', underWay(SPOKEN), (scene) => {
    scene.listens('Lounge', scene.server.newMember('carol').joins('Lounge'));
    toLounge(scene);
  }),
  cell('moved to a channel with a listener', 'idle', { ...SPOKEN, second: 'told', words: /with others/ }, (scene) => {
    scene.server.newMember('carol').joins('Lounge');
    toLounge(scene);
  }),
  ...rows('moved to an empty channel', { ...underWay({ ...TOLD, bot: 'stays' }), idle: SPOKEN }, toLounge),
  ...rows('kicked', { ...underWay({ ...TOLD, words: /disconnected/ }), idle: SPOKEN }, kick),
  ...(['Speak', 'Connect'] as const).flatMap((permission) => {
    const told = { bot: 'either', words: /missing/ } as const;
    const wanted = { ...underWay({ ...TOLD, ...told }), idle: { ...SPOKEN, second: 'told', ...told } as const };
    return rows(`permission ${permission} lost`, wanted, ({ server }) => server.channel('General').denyBot(permission));
  }),
  ...rows(
    'channel deleted',
    { ...underWay({ ...TOLD, words: /deleted/ }), idle: { ...SPOKEN, second: 'told', bot: 'left' } },
    deletion,
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

const byCode = grouped('The voice gateway closes with a code');
/** https://discord.com/developers/docs/topics/opcodes-and-status-codes#voice-voice-close-event-codes */
const CODES = [4001, 4002, 4003, 4004, 4005, 4006, 4009, 4011, 4012, 4014, 4015, 4016, 4017, 4020, 4021, 4022];

/** A kick sends both codes too. The main gateway reports the kick within seconds, so the bot waits for that. */
const ASK_WHY_MS = 12_000;
const KICKED_OR_NOT = {
  ...SPOKEN,
  recoveryMs: ASK_WHY_MS,
  because: 'also sent for a kick, of which Discord tells later: 9 s to hear',
};
const because = 'the call is over, and is not to be joined again';
const CALL_OVER = { ...TOLD, because };
/** A text after the end of a call starts a new call. */
const NEW_CALL: Wanted = { ...SPOKEN, second: 'spoken or told', bot: 'either', recoveryMs: ASK_WHY_MS, because };

function wantedFor(code: number, when: When): Wanted {
  if (code === 4014) return KICKED_OR_NOT;
  if (code === 4022) return when === 'idle' ? NEW_CALL : CALL_OVER;
  return SPOKEN;
}

const codes: readonly Cell[] = CODES.flatMap((code) =>
  (['connecting', 'speaking', 'idle'] as const).map((when) =>
    byCode(String(code), when, wantedFor(code, when), ({ world: { voiceServer }, client }) => {
      if (when !== 'connecting') voiceServer.cut(client, code);
      else Object.assign(voiceServer.settings, { closeOnIdentify: code, closeOnIdentifyTimes: 1 });
    }),
  ),
);

export const VOICE: readonly Cell[] = [...codes, ...lost, ...events, ...failovers, ...moderators];
