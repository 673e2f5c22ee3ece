import { readdirSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../temporary-folder.ts';
import { startBotHere } from './bot-in-process.ts';
import { botEnv, expectSameSpeech, inDatabase, inVoice, type Scene, speaking, startScene } from './scene.ts';
import { watcher } from './watcher.ts';

const RESTARTED = 'The bot is restarting';
const COMES_BACK = /The bot is restarting. It will speak this if it’s back/;

const KEPT = "SELECT DISTINCT namespace FROM entries WHERE namespace LIKE 'accepted-%'";
const kept = (scene: Scene) =>
  inDatabase(scene, (database) => database.prepare(KEPT).all()).map(({ namespace }) => namespace);

it('told to stop while it joins in vain, the bot says so, is in no channel, and ends well', async () => {
  const scene = await startScene({ env: { DRAIN_TIMEOUT_MS: '1000' } });
  const alice = inVoice(scene.world);
  scene.world.faults.loseEvent('VOICE_SERVER_UPDATE');
  const sent = await alice.types('/say text:Nobody can hear this.');
  await scene.world.channel('General').hasBot(true);
  // What is still being made may be billed and does not come back: another case, below. A whole clip has this name.
  const isMade = () => readdirSync(join(scene.dataDir, 'clips')).some((name) => /^[\w-]{43}$/.test(name));
  await expect.poll(isMade).toBe(true);
  scene.bot.signal('SIGTERM');
  await sent.reply({ until: COMES_BACK });
  expect((await scene.bot.ended).code).toBe(0);
  expect(scene.world.bot.voiceChannel).toBeUndefined();
});

it('told to stop by Ctrl-C while it speaks and Discord does not answer, it leaves and ends within ten seconds', async () => {
  const scene = await startScene();
  await speaking(scene.world);
  scene.world.faults.rest({ path: /^\/webhooks\//, delayMs: 60_000, times: 10 });
  const startedAtMs = performance.now();
  scene.bot.signal('SIGINT');
  const { code } = await scene.bot.ended;
  expect(performance.now() - startedAtMs).toBeLessThan(10_000);
  expect(code).toBe(0);
  expect(scene.world.bot.voiceChannel).toBeUndefined();
});

it('told to stop by SIGTERM while it speaks, it is heard to the end, and speaks what waited after the next start, billed once', async () => {
  const scene = await startScene({ env: { METRICS_PORT: 'auto' } });
  const { readiness, value } = await watcher(scene.bot);
  const [alice, bob] = [inVoice(scene.world), inVoice(scene.world, 'bob')];
  const words =
    'Whoever updates the bot lets it finish its sentence, and the next one too, and then it goes to sleep for a while.';
  const sent = await alice.types(`/say text:${words}`);
  await alice.listener.audible(1);
  const waiting = await bob.types('/say text:This one waits its turn.');
  let queued = 0;
  await scene.bot.logged(({ msg }) => msg === 'Queued a text' && ++queued === 2);

  scene.bot.signal('SIGTERM');
  expect(await readiness()).toMatchObject({
    status: 503,
    checks: { discord: 'ok', draining: 'the bot is being stopped' },
  });
  expect(await value('crier_draining')).toBe(1);
  for (const command of ['/say text:This one comes too late.', '/say text:As a file too. as:file']) {
    const late = await bob.types(command);
    expect(await late.reply()).toMatchObject({ ephemeral: true, text: expect.stringContaining(RESTARTED) });
  }
  expect(await waiting.reply({ until: COMES_BACK })).toMatchObject({ ephemeral: false, buttons: [] });

  await sent.reply({ until: /Spoken in/ });
  const spokenAtMs = performance.now();
  expect(await scene.bot.ended).toEqual({ code: 0, signal: null });
  expect(performance.now() - spokenAtMs).toBeLessThan(10_000);
  expect(scene.world.bot.voiceChannel).toBeUndefined();
  const heard = alice.listener.heard();

  await scene.restartBot();
  await waiting.reply({ until: /Spoken in/ });
  for (const { replies } of [sent, waiting]) {
    const [reply, ...others] = replies.filter(({ deleted }) => !deleted);
    expect(others).toEqual([]);
    expect(reply?.text).toMatch(/[1-9]\d* credits? used/);
    expect(reply?.buttons.map(({ label }) => label)).toEqual(['Replay', 'Save as file']);
  }
  expect(scene.service.ledger.charges(1_000)).toHaveLength(2);
  await expect.poll(() => kept(scene)).toEqual(['accepted-purchases']);
  expectSameSpeech(heard, await scene.said(words));
});

it('told to stop by SIGTERM while it makes a file, it still gives the file', async () => {
  const scene = await startScene();
  scene.service.faults.latencyMs = 1_500;
  const sent = await scene.world.member('alice').types('/say text:This is for keeps. as:file');
  await scene.world.until(() => sent.replies.length > 0, { what: 'the bot being at it' });
  scene.bot.signal('SIGTERM');
  const reply = await sent.reply({ until: ({ files }) => files.length > 0 });
  expect(reply.files).toHaveLength(1);
  expect((await scene.bot.ended).code).toBe(0);
});

it('told to stop by Ctrl-C while the service works on a text, it does not promise to speak what may be billed', async () => {
  const scene = await startScene();
  scene.service.faults.billedLatencyMs = 60_000;
  const alice = inVoice(scene.world);
  const sent = await alice.types('/say text:The answer to this comes too late.');
  await expect.poll(() => scene.service.ledger.charges(1).length).toBe(1);
  scene.bot.signal('SIGINT');
  const reply = await sent.reply({ until: /is restarting/ });
  expect(reply.text).toContain('won’t be generated again unless you ask');
  expect(reply.text).toContain('Credits may have been used.');
  expect((await scene.bot.ended).code).toBe(0);
});

// As when `timeout` ends npm: SIGTERM goes to all of its processes, and the one that started the bot tells it by SIGINT.
it('stopped by SIGTERM and by SIGINT at once, it does not wait for the current speech, and says so; nothing is kept', async () => {
  const scene = await startScene({ asProcess: true, env: { RESUME_TEXTS: 'off' } });
  const { sent } = await speaking(scene.world);
  scene.bot.signal('SIGTERM');
  scene.bot.signal('SIGINT');
  const reply = await sent.reply({ until: ({ ephemeral }) => ephemeral });
  expect(reply.text).toContain(`${RESTARTED}. Try again in a minute.`);
  expect((await scene.bot.ended).code).toBe(0);
  expect(kept(scene)).toEqual([]);
});

// As a shell tells the end by a signal: 128 and its number.
it('a second signal ends it at once: it leaves and tells nobody', async () => {
  const scene = await startScene({ asProcess: true });
  scene.world.faults.rest({ path: /^\/webhooks\//, delayMs: 60_000, times: 10 });
  await speaking(scene.world);
  // Two signals closer together than 300 ms are one key press.
  const pressing = setInterval(() => scene.bot.signal('SIGTERM'), 100);
  expect((await scene.bot.ended).code).toBe(128 + constants.signals.SIGTERM);
  clearInterval(pressing);
  await scene.world.channel('General').hasBot(false);
});

it('a second one with the same token and another folder refuses to start, in words, and disturbs nothing', async () => {
  const scene = await startScene();
  const second = startBotHere({ env: botEnv(scene, temporaryFolder()) });
  onTestFinished(() => second.stop());
  expect((await second.ended).code).toBe(1);
  expect(second.log.at(-1)?.msg).toMatch(/^another Crier is running on this machine with the same token: end that one/);
  expect(scene.world.bot.identifies).toBe(1);
});
