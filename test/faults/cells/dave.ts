import { type Cell, type CellScene, SPOKEN, TOLD } from '../cell.ts';
import { grouped, rowsOf, sleep, underWay } from './moments.ts';

const cell = grouped('End-to-end encryption');
const rows = rowsOf('End-to-end encryption', 'at once');

const OP = { commit: 29, welcome: 30 } as const;
/** The bot waits 5 s for the group before it joins the channel again. */
const NO_GROUP = {
  ...SPOKEN,
  recoveryMs: 8_000,
  because: 'a group that does not come is known by the 5 s it is waited for',
};

/**
 * A transition waits 'roughly two seconds' for members that are not ready; a bot that missed a commit learns of it
 * then.
 */
const TRANSITION_MS = 2_500;

/** Loses or corrupts the next DAVE message with this opcode to the bot. */
function alterOnce({ world, client }: CellScene, op: number, how: 'lost' | 'corrupt'): void {
  const { settings } = world.voiceServer;
  settings.alterDaveMessage = ({ userId, op: its, payload }) => {
    if (its !== op || userId !== client.userId) return payload;
    settings.alterDaveMessage = undefined;
    if (how === 'lost') return undefined;
    const altered = Buffer.from(payload);
    for (let at = 40; at < 48 && at < altered.length; at += 1) altered[at] = (altered[at] ?? 0) ^ 0xff;
    return altered;
  };
}

const newcomer = (scene: CellScene) => scene.newcomer(scene.server.newMember('carol').joins('General'));

async function crowd({ server }: CellScene): Promise<void> {
  for (const name of ['carol', 'dan', 'eve', 'fay', 'gus', 'hal']) {
    const person = server.newMember(name);
    person.joins('General');
    await sleep(150);
    person.leaves();
    await sleep(150);
  }
}

function toVersion({ world, server }: CellScene, version: 0 | 1): void {
  world.faults.setProtocolVersion({ guildId: server.guildId, channelId: server.channel('General').id }, version);
}

export const DAVE: readonly Cell[] = [
  cell('slow: the handshake takes 2 s', 'connecting', { ...SPOKEN }, ({ world }) => {
    world.voiceServer.settings.daveHandshakeDelayMs = 2_000;
  }),
  cell('slow: each commit takes 2 s', 'connecting', { ...SPOKEN }, ({ world }) => {
    world.voiceServer.settings.daveCommitDelayMs = 2_000;
  }),
  cell('slow: each commit takes 2 s, and a member comes', 'speaking', SPOKEN, (scene) => {
    scene.world.voiceServer.settings.daveCommitDelayMs = 2_000;
    newcomer(scene);
  }),
  cell(
    'the group never admits the bot',
    'connecting',
    { ...TOLD, bot: 'either', words: /encrypt/ },
    ({ world, server, onEnd }) => {
      const { id } = server.channel('General');
      world.faults.withholdGroup(id, true);
      onEnd(() => world.faults.withholdGroup(id, false));
    },
  ),
  ...(['lost', 'corrupt'] as const).flatMap((how) => [
    cell(`a welcome is ${how}`, 'connecting', NO_GROUP, (scene) => alterOnce(scene, OP.welcome, how)),
    cell(`a commit is ${how}`, 'speaking', NO_GROUP, (scene) => {
      alterOnce(scene, OP.commit, how);
      newcomer(scene);
    }),
    cell(
      `a commit is ${how}`,
      'idle',
      NO_GROUP,
      async (scene) => {
        alterOnce(scene, OP.commit, how);
        newcomer(scene);
        await sleep(TRANSITION_MS);
      },
      { isSecondLater: true },
    ),
  ]),
  ...rows('members come and go', underWay(SPOKEN), crowd),
  cell('a member is announced 3 s late', 'speaking', SPOKEN, (scene) => {
    scene.world.voiceServer.settings.clientsConnectDelayMs = 3_000;
    newcomer(scene);
  }),
  ...[true, false].map((before) =>
    cell(
      `a member comes while TCP is cut for 1 s, replayed ${before ? 'before' : 'after'} op 9`,
      'speaking',
      SPOKEN,
      async (scene) => {
        const { voiceServer } = scene.world;
        Object.assign(voiceServer.settings, { replayBeforeResumed: before, resumeDelayMs: 1_000 });
        voiceServer.cut(scene.client);
        newcomer(scene);
        await sleep(1_000);
      },
    ),
  ),
  ...rows('downgraded to version 0', { speaking: SPOKEN, idle: SPOKEN }, (scene) => toVersion(scene, 0)),
  cell(
    'downgraded to version 0, and back to 1 after a second',
    'speaking',
    { ...SPOKEN, clearFrames: 50 },
    async (scene) => {
      toVersion(scene, 0);
      await sleep(1_000);
      toVersion(scene, 1);
    },
  ),
];
