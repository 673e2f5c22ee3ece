import { entersState, joinVoiceChannel, type VoiceConnection, VoiceConnectionStatus } from '@discordjs/voice';
import { Client, Events, GatewayIntentBits, type VoiceBasedChannel } from 'discord.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startWorld, type World } from '../../src/playground/world/world.ts';
import { encrypted, speak, tone, trust } from './voice/client.ts';

let world: World;
let client: Client<true>;
const connections: VoiceConnection[] = [];

beforeEach(async () => {
  world = await startWorld();
  trust(world.voiceServer);
  client = new Client({
    intents: [GatewayIntentBits.Guilds, GatewayIntentBits.GuildVoiceStates],
    rest: { api: world.botEnv.DISCORD_API_URL },
  });
  const ready = new Promise((resolve) => client.once(Events.ClientReady, resolve));
  await client.login(world.botEnv.DISCORD_TOKEN);
  await ready;
});

afterEach(async () => {
  for (const connection of connections.splice(0)) {
    if (connection.state.status !== VoiceConnectionStatus.Destroyed) connection.destroy();
  }
  await client.destroy();
  await world.close();
});

const join = (name: string, selfMute = false) =>
  joinIn(client.channels.cache.get(world.channel(name).id) as VoiceBasedChannel, selfMute);

function joinIn(channel: VoiceBasedChannel, selfMute = false): VoiceConnection {
  const connection = joinVoiceChannel({
    guildId: channel.guild.id,
    channelId: channel.id,
    adapterCreator: channel.guild.voiceAdapterCreator,
    selfDeaf: true,
    selfMute,
  });
  connection.on('error', () => {});
  connections.push(connection);
  return connection;
}

/** Resolves when the gateway has handled everything that the bot sent before: a member request is answered in order. */
const gatewayCaughtUp = () =>
  client.guilds.cache.get(world.guildId)?.members.fetch({ user: world.bot.userId, force: true });

const inTime = { timeoutMs: 3_000 };

describe('the bot in voice, with the real @discordjs/voice', () => {
  it('joins where alice is, and alice hears it end to end encrypted', async () => {
    const alice = world.member('alice');
    alice.joins('General');
    const connection = join('General');
    await encrypted(connection);
    await alice.listener.ready(inTime);
    expect(world.channel('General').members).toEqual(['alice', 'bot']);
    expect(world.bot.selfDeafened).toBe(true);
    await speak(connection, (await tone(20)).packets);
    const heard = await world.channel('General').listener.utterance({ timeoutMs: 3_000 });
    expect(heard).toMatchObject({ endToEndEncrypted: true, unencryptedFrames: 0, lostPackets: 0 });
    expect(heard.seconds).toBeCloseTo(0.4, 1);
  });

  it.each(['Full', 'Locked'])('gets no answer at all when it may not join %s', async (name) => {
    const connection = join(name);
    await gatewayCaughtUp();
    expect(world.bot.voiceChannel).toBeUndefined();
    expect(connection.state.status).toBe(VoiceConnectionStatus.Signalling);
  });

  it('is in Quiet but inaudible without Speak', async () => {
    const listener = world.member('alice').joins('Quiet');
    const connection = join('Quiet');
    await encrypted(connection);
    expect(world.bot.suppressed).toBe(true);
    await speak(connection, (await tone(5)).packets);
    await expect(listener.utterance({ timeoutMs: 200 })).rejects.toThrow();
    expect(listener.heard().packets).toEqual([]);
  });

  it('is inaudible while it has muted itself', async () => {
    const listener = world.member('alice').joins('General');
    const connection = join('General', true);
    await encrypted(connection);
    await speak(connection, (await tone(5)).packets);
    await expect(listener.utterance({ timeoutMs: 200 })).rejects.toThrow();
    expect(listener.heard().packets).toEqual([]);
  });

  it('is inaudible while a moderator has muted it', async () => {
    const listener = world.member('alice').joins('General');
    world.setBotPermissions(['ViewChannel', 'Connect', 'Speak', 'MuteMembers']);
    const connection = join('General');
    await encrypted(connection);
    await listener.ready(inTime);
    const me = await client.guilds.cache.get(world.guildId)?.members.fetchMe();
    await me?.voice.setMute(true);
    await speak(connection, (await tone(5)).packets);
    await expect(listener.utterance({ timeoutMs: 200 })).rejects.toThrow();
    await me?.voice.setMute(false);
    await speak(connection, (await tone(5)).packets);
    expect((await listener.utterance(inTime)).seconds).toBeGreaterThan(0.05);
  });

  it('is not heard by members deafened by a moderator or by themselves', async () => {
    const [alice, bob, carol] = [world.member('alice'), world.member('bob'), world.newMember('carol')];
    for (const person of [alice, bob, carol]) person.joins('General');
    const connection = join('General');
    await encrypted(connection);
    await alice.listener.ready(inTime);
    world.member('olga').serverDeafens('bob', true);
    carol.deafensSelf(true);
    const { packets } = await tone(5);
    await speak(connection, packets);
    await alice.listener.utterance(inTime);
    expect([bob, carol].map((person) => person.listener.heard().packets.length)).toEqual([0, 0]);
    world.member('olga').serverDeafens('bob', false);
    await speak(connection, packets);
    expect((await bob.listener.utterance(inTime)).seconds).toBeGreaterThan(0.05);
  });

  it('is audience on a stage until it may speak', async () => {
    const listener = world.member('alice').joins('Stage');
    const connection = join('Stage');
    await entersState(connection, VoiceConnectionStatus.Ready, 3_000);
    const { packets } = await tone(5);
    await speak(connection, packets);
    expect(listener.heard().packets).toEqual([]);
    const own = client.guilds.cache.get(world.guildId)?.members.me?.voice;
    await expect(own?.setSuppressed(false)).rejects.toMatchObject({ code: 50013 });
    await own?.setRequestToSpeak(true);
    expect(world.bot.requestsToSpeak).toBe(true);
    world.member('olga').invitesToSpeak('bot');
    expect(world.bot.requestsToSpeak).toBe(false);
    await speak(connection, packets);
    const heard = await listener.utterance(inTime);
    expect(heard.seconds).toBeGreaterThan(0.05);
    expect(heard.unencryptedFrames).toBe(0);
  });

  it('is disconnected by a moderator: channel null and close code 4014', async () => {
    world.member('alice').joins('General');
    const connection = join('General');
    await entersState(connection, VoiceConnectionStatus.Ready, 3_000);
    const disconnected = new Promise((resolve) =>
      connection.once(VoiceConnectionStatus.Disconnected, (_, state) => resolve(state)),
    );
    world.member('olga').disconnects('bot');
    expect(await disconnected).toMatchObject({ closeCode: 4014 });
    await gatewayCaughtUp();
    expect(client.guilds.cache.get(world.guildId)?.members.me?.voice.channelId).toBeNull();
  });

  it('is dragged to another channel and connects there', async () => {
    world.member('alice').joins('General');
    world.member('bob').joins('Lounge');
    const connection = join('General');
    await encrypted(connection);
    world.member('olga').drags('bot', 'Lounge');
    await entersState(connection, VoiceConnectionStatus.Connecting, 3_000);
    await entersState(connection, VoiceConnectionStatus.Ready, 3_000);
    await world.member('bob').listener.ready(inTime);
    await speak(connection, (await tone(10)).packets);
    expect((await world.channel('Lounge').listener.utterance(inTime)).seconds).toBeGreaterThan(0.1);
  });

  it('loses its voice with its session, but not with its connection', async () => {
    world.member('alice').joins('General');
    const connection = join('General');
    await entersState(connection, VoiceConnectionStatus.Ready, 3_000);
    world.faults.dropGateway();
    await world.until(() => world.bot.resumes === 1, { timeoutMs: 4_000, what: 'the resume' });
    expect(world.bot.voiceChannel).toBe('General');
    world.faults.invalidateSession({ resumable: false });
    expect(world.bot.voiceChannel).toBeUndefined();
  });

  it('is out when its channel is deleted', async () => {
    world.member('alice').joins('General');
    join('General');
    await world.channel('General').hasBot(true, inTime);
    world.channel('General').delete();
    expect(world.bot.voiceChannel).toBeUndefined();
    expect(world.member('alice').voiceChannel).toBeUndefined();
  });
});

describe('two servers', () => {
  it('have their outages each on its own', async () => {
    const added = new Promise((resolve) => client.once(Events.GuildCreate, resolve));
    const second = world.newServer('Second');
    await added;
    const unavailable = new Promise<string>((resolve) => client.once(Events.GuildUnavailable, ({ id }) => resolve(id)));
    const end = second.outage();
    expect(await unavailable).toBe(second.guildId);
    expect(client.guilds.cache.get(world.guildId)?.available).toBe(true);
    const back = new Promise((resolve) => client.once(Events.GuildAvailable, resolve));
    end();
    await back;
  });

  it('are heard each on its own', async () => {
    const added = new Promise((resolve) => client.once(Events.GuildCreate, resolve));
    const second = world.newServer('Second');
    await added;
    const listeners = [world.member('alice').joins('General'), second.member('bob').joins('General')];
    const channels = [world.channel('General').id, second.channel('General').id];
    const spoken = await Promise.all([tone(10, 440), tone(20, 880)]);
    const joined = channels.map((id) => joinIn(client.channels.cache.get(id) as VoiceBasedChannel));
    await Promise.all(joined.map(encrypted));
    await Promise.all(listeners.map((listener) => listener.ready(inTime)));
    await Promise.all(joined.map((connection, index) => speak(connection, spoken[index]?.packets ?? [])));
    const heard = await Promise.all(listeners.map((listener) => listener.utterance(inTime)));
    expect(heard.map(({ packets }) => packets.length)).toEqual([10, 20]);
    expect(heard.every(({ endToEndEncrypted }) => endToEndEncrypted)).toBe(true);
  });
});
