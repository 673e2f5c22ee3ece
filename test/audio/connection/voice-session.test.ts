import { Socket } from 'node:dgram';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, vi } from 'vitest';
import { clipFromPackets } from '../../../src/audio/clips/clip.ts';
import { RouteLostError } from '../../../src/audio/connection/packets/datagram-route.ts';
import type { JoinWait, VoiceSessionsOptions } from '../../../src/audio/connection/voice-session-types.ts';
import type { Heard } from '../../../src/playground/voice/listening/hearing.ts';
import type { EncryptionMode } from '../../../src/playground/voice/protocol.ts';
import { placeAt } from '../../services/presence/place.ts';
import { correlation, PRE_SKIP, reference48k } from '../sounds.ts';
import { ALICE, CHANNEL, FakeGateway, OTHER_CHANNEL } from './gateway.ts';
import { clip, FREELY, hearing, said, speech, test, type VoiceWorld } from './voice-world.ts';

const wanted = reference48k(said, 24_000);

/** In the midst of a clip. */
async function speaking(world: VoiceWorld, clips = 1) {
  const listener = world.listens();
  const session = await world.join();
  const playing = session.play(clipFromPackets(Array.from({ length: clips }, () => speech).flat()));
  await listener.audible(10, hearing);
  return { listener, session, playing };
}

const audibleOf = ({ packets }: Heard) => packets.filter(({ audible }) => audible);

/** What was heard is what was said, from its first sample to its last. */
function expectWhole(heard: Heard): void {
  expect(heard).toMatchObject({ unencryptedFrames: 0, undecryptableFrames: 0, lostPackets: 0 });
  expect(audibleOf(heard)).toHaveLength(speech.length);
  // Silence before the first word is part of what is heard.
  const start = heard.packets.findIndex(({ audible }) => audible) * 960;
  const best = Math.max(...[start, 0].map((from) => correlation(wanted, heard.pcm, from + PRE_SKIP)));
  expect(best).toBeGreaterThan(0.98);
}

/** Continuous in sequence and time, as a receiver's jitter buffer wants it. */
function expectContinuous(heard: Heard): void {
  for (const [i, packet] of heard.packets.entries()) {
    const previous = heard.packets[i - 1];
    if (!previous || previous.ssrc !== packet.ssrc) continue;
    expect((packet.sequence - previous.sequence) & 0xffff).toBe(1);
    expect((packet.timestamp - previous.timestamp) >>> 0).toBe(960);
  }
}

/** Half a second between leaving and the next request, which Discord would not listen to before. */
function expectPause({ gateway }: VoiceWorld): void {
  const [, left, rejoined] = gateway.requests;
  expect((rejoined?.atMs ?? 0) - (left?.atMs ?? 0)).toBeGreaterThanOrEqual(500);
}

describe('speaking', () => {
  test('right after joining, the first word is heard whole, encrypted, after 200 ms of silence', async ({ world }) => {
    const listener = world.listens();
    const session = await world.join();
    const result = await session.play(clip());
    const heard = await listener.utterance(hearing);
    expect(result).toMatchObject({ outcome: 'finished', packetsSent: speech.length, encrypted: true });
    expect(heard.endToEndEncrypted).toBe(true);
    expectWhole(heard);
    expectContinuous(heard);
    const firstAudible = heard.packets.findIndex(({ audible }) => audible);
    expect(firstAudible).toBeGreaterThanOrEqual(10);
    expect(heard.packets.slice(0, firstAudible).every(({ silence }) => silence)).toBe(true);
    expect(world.gateway.requests[0]).toMatchObject({ channelId: CHANNEL, selfDeaf: true });
  });

  test('each clip is reported with its unsent packets, and the census counts sessions', async ({ world }) => {
    const onPlayed = vi.fn<VoiceSessionsOptions['onPlayed']>();
    world.configure({}, { onPlayed });
    world.listens();
    expect(world.sessions.census()).toEqual({ joined: 0, speaking: 0 });
    const session = await world.join();
    expect(world.sessions.census().joined).toBe(1);
    await session.play(clipFromPackets(speech.slice(0, 2)));
    const playing = session.play(clip());
    expect(world.sessions.census()).toEqual({ joined: 1, speaking: 1 });
    world.server.drop(world.bot, 4022);
    await playing;
    const accounts = onPlayed.mock.calls.flat();
    expect(accounts).toMatchObject([{ outcome: 'finished', packetsSent: 2, lostCount: 0 }, { outcome: 'truncated' }]);
    const [, broken] = accounts;
    expect((broken?.packetsSent ?? 0) + (broken?.lostCount ?? 0)).toBe(speech.length);
    expect(world.sessions.census()).toEqual({ joined: 0, speaking: 0 });
  });

  const MODES: EncryptionMode[] = ['aead_xchacha20_poly1305_rtpsize', 'aead_aes256_gcm_rtpsize'];
  // As a module, sodium-native lacks a constant.
  test.for(MODES)('is heard where Discord offers only %s', async (mode, { world }) => {
    world.server.settings.modes = [mode];
    const listener = world.listens();
    const session = await world.join();
    expect(await session.play(clip())).toMatchObject({ outcome: 'finished' });
    expect(world.server.clients()[0]?.mode).toBe(mode);
    expectWhole(await listener.utterance(hearing));
  });
});

describe.concurrent('without end-to-end encryption', () => {
  test('nothing is waited for where the voice server says that there is none (stage channels)', async ({ world }) => {
    world.makeStage();
    const listener = world.listens();
    const session = await world.join();
    const startedAtMs = performance.now();
    const { firstPacketAtMs = 0, ...result } = await session.play(clip());
    expect(result).toMatchObject({ outcome: 'finished', encrypted: false });
    // Far less than the 5 s that a group would be waited for.
    expect(firstPacketAtMs - startedAtMs).toBeLessThan(2_000);
    expect(session.encryption).toBe('transport-only');
    expect(audibleOf(await listener.utterance(hearing))).toHaveLength(speech.length);
  });

  test('what is said alone in the channel is held for the member who comes, encrypted', async ({ world }) => {
    world.configure({ encryptionTimeoutMs: 300 });
    const session = await world.join();
    const playing = session.play(clip());
    // Longer than a group is waited for where there are others.
    await sleep(700);
    expect(session.state).toEqual({ status: 'ready' });
    const listener = world.listens();
    expect(await playing).toMatchObject({ outcome: 'finished', encrypted: true, packetsSent: speech.length });
    expect(await listener.utterance(hearing)).toMatchObject({ unencryptedFrames: 0 });
    expect(world.server.clearFrames).toBe(0);
  });
});

describe.concurrent('joining', () => {
  test('goes on when Discord answers the attempt before, and the leaving after it, only now', async ({ world }) => {
    world.configure({ attemptTimeoutMs: 1_000 });
    world.gateway.answers = false;
    const joining = world.join();
    await expect.poll(() => world.gateway.requests.length).toBe(3);
    world.gateway.move(CHANNEL);
    world.gateway.kick();
    world.gateway.move(CHANNEL);
    expect((await joining).state).toEqual({ status: 'ready' });
    expect(world.gateway.channels()).toEqual([CHANNEL, null, CHANNEL]);
    expectPause(world);
  });

  const without: readonly [JoinWait, (world: VoiceWorld) => void][] = [
    ['admission', ({ gateway }) => Object.assign(gateway, { answers: false })],
    ['voice-server-update', ({ gateway }) => Object.assign(gateway, { sendsOnly: 'state' })],
    ['voice-state-update', ({ gateway }) => Object.assign(gateway, { sendsOnly: 'server' })],
    ['voice-gateway', ({ server }) => void server.settings.withheldOps.add(2)],
    ['ip-discovery', ({ server }) => Object.assign(server.settings, { answerIpDiscovery: false })],
    ['session-description', ({ server }) => void server.settings.withheldOps.add(4)],
  ];
  test.for(without)('ends in time without %s, and says so', async ([waitedFor, withhold], { world }) => {
    withhold(world);
    world.configure({ attemptTimeoutMs: 1_000, maxAttempts: 1 });
    await expect(world.join()).rejects.toMatchObject({ name: 'VoiceJoinError', kind: 'timeout', waitedFor });
    expect(world.sessions.get(world.guildId)).toBeUndefined();
  });

  test('where no encryption mode is shared says so at once', async ({ world }) => {
    world.server.settings.modes = ['aead_unheard_of' as EncryptionMode];
    await expect(world.join()).rejects.toMatchObject({ kind: 'encryption' });
    expect(world.gateway.channels()).toEqual([CHANNEL, null]);
  });

  test('waits for a voice server that Discord has yet to find, and asks for it once', async ({ world }) => {
    world.configure({ attemptTimeoutMs: 10_000 });
    world.gateway.hasServer = false;
    const joining = world.join();
    await sleep(600);
    expect(world.gateway.requests).toHaveLength(1);
    world.gateway.announceServer();
    expect((await joining).state).toEqual({ status: 'ready' });
    expect(world.gateway.requests).toHaveLength(1);
  });

  test('the same channel twice gives the same session', async ({ world }) => {
    const [first, second] = await Promise.all([world.join(), world.join()]);
    expect(second).toBe(first);
    expect(await world.join()).toBe(first);
    expect(world.sessions.get(world.guildId)).toBe(first);
    expect(world.gateway.requests).toHaveLength(1);
  });

  test('another channel of the server closes the session in the first', async ({ world }) => {
    const listener = world.listens(ALICE, { channelId: OTHER_CHANNEL });
    const first = await world.join();
    const second = await world.join({ channelId: OTHER_CHANNEL });
    expect(await first.closed).toMatchObject({ reason: 'moved-away' });
    await second.play(clip());
    expectWhole(await listener.utterance(hearing));
    expect(world.gateway.channels()).toEqual([CHANNEL, OTHER_CHANNEL]);
  });

  test('another channel on the way to the first needs no leaving, and so no pause', async ({ world }) => {
    world.configure({ attemptTimeoutMs: 10_000 });
    world.gateway.answers = false;
    const giveUp = new AbortController();
    const first = world.join({ signal: giveUp.signal });
    world.gateway.answers = true;
    const second = world.join({ channelId: OTHER_CHANNEL });
    giveUp.abort();
    await expect(first).rejects.toMatchObject({ kind: 'aborted' });
    await second;
    expect(world.gateway.channels()).toEqual([CHANNEL, OTHER_CHANNEL]);
  });

  test('right after leaving waits until Discord listens to it again', async ({ world }) => {
    const session = await world.join();
    await session.leave();
    const { state } = await world.join();
    expect(state).toEqual({ status: 'ready' });
    expect(world.gateway.channels()).toEqual([CHANNEL, null, CHANNEL]);
    expectPause(world);
  });

  test('an adapter that throws is a failed join, not a crash', async ({ world }) => {
    const adapterCreator = () => {
      throw new Error('the server is gone');
    };
    Object.assign(world.gateway, { adapterCreator });
    await expect(world.join()).rejects.toMatchObject({ kind: 'failed' });
  });
});

// Not beside others: their datagrams would not leave either.
test('joining without an IPv4 route ends soon, and says so', async ({ world }) => {
  // As Linux answers where an interface has IPv6 alone.
  const send = vi.spyOn(Socket.prototype, 'send').mockImplementation(function (this: Socket) {
    setImmediate(() => this.emit('error', Object.assign(new Error('send ENETUNREACH'), { code: 'ENETUNREACH' })));
  });
  onTestFinished(() => send.mockRestore());
  const startedAtMs = performance.now();
  await expect(world.join()).rejects.toMatchObject({ kind: 'no-route' });
  expect(performance.now() - startedAtMs).toBeLessThan(5_000);
  expect(world.gateway.channels()).toEqual([CHANNEL, null]);
});

describe.concurrent('losing the connection', () => {
  test('a voice server that Cloudflare cannot reach (521) is asked again, joining and resuming', async ({ world }) => {
    world.configure({ rejoinDelayMs: 50 });
    world.server.settings.upgradesToRefuse = 2;
    const { listener, playing } = await speaking(world);
    world.server.settings.upgradesToRefuse = 2;
    world.server.cut(world.bot);
    expect(await playing).toMatchObject({ outcome: 'finished', packetsSent: speech.length });
    const heard = await listener.utterance({ ...hearing, quietMs: 500 });
    expect(audibleOf(heard).length).toBeGreaterThanOrEqual(speech.length - 3);
    expect(heard).toMatchObject({ unencryptedFrames: 0, undecryptableFrames: 0 });
  });

  const unreachable = Object.assign(new Error('unreachable'), { code: 'ENETUNREACH' });
  const ways: readonly [string, clips: number, (world: VoiceWorld) => void][] = [
    ['local address is gone', 1, (world) => world.transport().ready.udp.emit('error', new RouteLostError(unreachable))],
    ['keep-alives come back no more', 20, ({ server }) => Object.assign(server.settings, { echoKeepAlives: false })],
  ];
  test.for(ways)('whose %s is joined anew, and the clip goes on', async ([, clips, lose], { world }) => {
    const { listener, playing } = await speaking(world, clips);
    lose(world);
    expect(await playing).toMatchObject({ outcome: 'finished', packetsSent: clips * speech.length });
    const heard = await listener.utterance({ ...hearing, quietMs: 500 });
    expect(audibleOf(heard).length).toBeGreaterThanOrEqual(clips * speech.length - 3);
    expect(world.gateway.channels()).toEqual([CHANNEL, CHANNEL]);
  });

  test.for([
    ['server', 1],
    ['state', 2],
  ] as const)('joined anew where Discord sends our %s only, the clip goes on', async ([only, joins], { world }) => {
    world.configure({ attemptTimeoutMs: 2_500 });
    const { playing } = await speaking(world);
    world.gateway.sendsOnly = only;
    world.server.drop(world.bot, 4006);
    expect(await playing).toMatchObject({ outcome: 'finished', packetsSent: speech.length });
    const requests = world.gateway.channels();
    expect(requests).toHaveLength(joins === 1 ? 2 : 4);
    expect(requests.filter((channelId) => channelId === null)).toHaveLength(joins - 1);
  });

  // A queue that waits for the library's Idle hangs.
  test('that cannot be mended in time ends session and clip', async ({ world }) => {
    world.configure({ attemptTimeoutMs: 1_000, maxAttempts: 2 });
    const { session, playing } = await speaking(world);
    world.gateway.answers = false;
    world.server.drop(world.bot, 4006);
    expect(await playing).toMatchObject({ outcome: 'truncated', error: expect.any(Error) });
    expect(await session.closed).toMatchObject({ reason: 'failed', error: { kind: 'timeout' } });
    expect(world.gateway.requests.at(-1)?.channelId).toBeNull();
  });

  test('a kick while the gateway is away is learned when it is back: the bot stays out', async ({ world, expect }) => {
    world.configure({ explanationTimeoutMs: 100 });
    const session = await world.join();
    world.gateway.isReady = false;
    world.gateway.kick();
    await sleep(1_500);
    expect(session.state).toMatchObject({ status: 'reconnecting' });
    world.gateway.isReady = true;
    expect(await session.closed).toEqual({ reason: 'kicked', closeCode: 4014 });
    await sleep(400);
    expect(world.gateway.channels()).toEqual([CHANNEL]);
  });

  test('the cached state is asked before it joins again: in no channel means put out', async ({ world }) => {
    const session = await world.join();
    world.gateway.knownChannel = null;
    world.server.drop(world.bot, 4006);
    expect(await session.closed).toMatchObject({ reason: 'kicked' });
    expect(world.gateway.requests).toHaveLength(1);
  });

  test('back on a stage, nothing of the clip is sent before it has the floor', async ({ world, expect }) => {
    world.makeStage();
    const { listener, session, playing } = await speaking(world);
    const floor = Promise.withResolvers<void>();
    let heardBefore = 0;
    session.onArrived(() => {
      heardBefore = audibleOf(listener.heard()).length;
      session.holdUntil(floor.promise);
    });
    world.gateway.dropMainSession();
    await expect.poll(() => heardBefore).toBeGreaterThan(0);
    // A member's pause ends meanwhile: that alone lets nothing out.
    session.pause();
    session.resume();
    await sleep(200);
    expect(audibleOf(listener.heard())).toHaveLength(heardBefore);
    floor.resolve();
    expect(await playing).toMatchObject({ outcome: 'finished', packetsSent: speech.length });
    expect(audibleOf(await listener.utterance(hearing)).length).toBeGreaterThan(heardBefore);
  });

  test('a floor that is not to be had ends the clip with its reason, and not the session', async ({ world }) => {
    world.listens();
    const session = await world.join();
    const refused = new Error('nobody invites it');
    const first = session.play(clip());
    session.holdUntil(Promise.reject(refused));
    expect(await first).toMatchObject({ outcome: 'truncated', error: refused });
    expect(await session.play(clip())).toMatchObject({ outcome: 'finished' });
  });

  test('dragged on before it had the floor, it speaks where it is: that floor decides nothing', async ({ world }) => {
    const { session, playing } = await speaking(world);
    const floor = Promise.withResolvers<void>();
    let stayThere: AbortSignal | undefined;
    session.onArrived((channelId) => {
      if (channelId !== OTHER_CHANNEL) return;
      stayThere = session.stay;
      session.holdUntil(floor.promise);
    });
    world.gateway.move(OTHER_CHANNEL);
    expect(stayThere?.aborted).toBe(false);
    world.gateway.move(CHANNEL);
    expect(stayThere?.aborted).toBe(true);
    floor.reject(new Error('moved away'));
    expect(await playing).toMatchObject({ outcome: 'finished', packetsSent: speech.length });
  });

  test('the end of the main gateway ends the session, twice without harm', async ({ world }) => {
    const session = await world.join();
    world.gateway.destroyAdapter();
    world.gateway.destroyAdapter();
    expect(await session.closed).toEqual({ reason: 'gateway-lost' });
  });

  test('a stranger’s datagram that is too short to name a source does not end the process', async ({ world }) => {
    const listener = world.listens();
    const session = await world.join();
    const arrived: number[] = [];
    const socket = Reflect.get(world.transport().ready.udp, 'socket');
    socket.prependListener('message', ({ length }: Uint8Array) => arrived.push(length));
    const sizes = [0, 1, 7, 9, 10, 11, 12, 13];
    for (const size of sizes) world.server.sendDatagram(world.bot, new Uint8Array(size));
    await expect.poll(() => arrived.filter((length) => length !== 8)).toEqual(sizes);
    await session.play(clip());
    expectWhole(await listener.utterance(hearing));
  });

  test('a DAVE message that makes no sense does not end the process', async ({ world }) => {
    world.listens();
    world.server.settings.alterDaveMessage = ({ op, payload }) =>
      op === 25 || op === 27 ? Buffer.from([1, 2, 3]) : payload;
    world.configure({ encryptionTimeoutMs: 400 });
    const session = await world.join();
    expect(await session.play(clip())).toMatchObject({ outcome: 'truncated', packetsSent: 0, encrypted: false });
  });
});

describe.concurrent('leaving', () => {
  test('stops the clip, leaves the channel and says so, twice without harm', async ({ world, expect }) => {
    const { session, playing } = await speaking(world);
    await session.leave();
    await session.leave();
    expect(await playing).toMatchObject({ outcome: 'stopped' });
    expect(await session.closed).toEqual({ reason: 'left' });
    expect(world.gateway.channels()).toEqual([CHANNEL, null]);
    expect(await session.play(clip())).toMatchObject({ outcome: 'stopped', packetsSent: 0 });
    await expect.poll(() => world.server.clients()).toHaveLength(0);
  });

  test('while it joins again without the main gateway is told when that is back', async ({ world, expect }) => {
    const session = await world.join();
    world.gateway.isReady = false;
    world.server.drop(world.bot, 4006);
    await expect.poll(() => session.state).toMatchObject({ step: 'no-gateway' });
    world.gateway.isReady = true;
    await session.leave();
    expect(world.gateway.channels()).toEqual([CHANNEL, null]);
  });

  test('closing leaves every channel, and ends a join that is under way', async ({ world }) => {
    world.gateway.answers = false;
    const aborted = expect(world.join()).rejects.toMatchObject({ kind: 'aborted' });
    const guildId = `${world.guildId}1`;
    const { adapterCreator } = new FakeGateway(world.server, { guildId });
    const other = await world.sessions.join({ ...placeAt(CHANNEL), guildId, adapterCreator }, FREELY);
    await world.sessions.closeAll();
    await aborted;
    expect(await other.closed).toEqual({ reason: 'left' });
    await world.sessions.closeAll();
  });
});
