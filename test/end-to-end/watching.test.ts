import { expect, it, onTestFinished } from 'vitest';
import { startBotHere } from './bot-in-process.ts';
import { botEnv, inVoice, replyTo, startScene } from './scene.ts';
import { watcher } from './watcher.ts';

const POLLED = { interval: 100 };
const READY = { discord: 'ok', commands: 'ok', store: 'ok', speech: 'ok', joining: 'ok' };
const WATCHED = { env: { METRICS_PORT: 'auto' } };

it('shows its speech, latency and cost, without a word of the texts', async () => {
  const scene = await startScene(WATCHED);
  const alice = inVoice(scene.world);
  const { value, metrics, health } = await watcher(scene.bot);
  expect(await value('crier_speakers_joined')).toBe(0);

  const sent = await alice.types('/say text:Peculiar words are spoken here.');
  await alice.listener.audible(1);
  expect(await value('crier_speakers_speaking')).toBe(1);
  expect(await sent.reply()).toMatchObject({ ephemeral: false });
  const { packets } = alice.listener.heard();

  expect(await value('crier_packets_sent_total')).toBe(packets.filter(({ silence }) => !silence).length);
  expect(await value('crier_clips_total{outcome="finished"}')).toBe(1);
  expect(await value('crier_speakers_joined')).toBe(1);
  expect(await value('crier_first_audio_seconds_count{kind="cold"}')).toBe(1);
  expect(await value('crier_credits_used_total')).toBeGreaterThan(0);

  // The bot is there, and so is the sound.
  const again = inVoice(scene.world, 'bob');
  await replyTo(again.types('/say text:Peculiar words are spoken here.'), /Spoken in/);
  expect(await value('crier_first_audio_seconds_count{kind="cached"}')).toBe(1);
  expect(await value('crier_cache_requests_total{outcome="memory"}')).toBe(1);
  expect(await value('crier_cache_bytes')).toBeGreaterThan(0);
  expect(await value('crier_speech_requests_total{endpoint="speech",outcome="ok"}')).toBe(1);

  const text = await metrics();
  expect(text).toMatch(/^nodejs_eventloop_lag_p99_seconds \d/m);
  expect(text).not.toContain('Peculiar');
  // Ids of servers, channels and members are as long as this, and nothing else is.
  expect(text).not.toMatch(/"\d{17,20}"/);
  expect(await health()).toMatchObject({ status: 200 });
});

it('is alive but not ready before it knows its servers, and while it has lost Discord', async () => {
  const scene = await startScene();
  const { faults } = scene.world;
  await scene.bot.stop();
  // READY comes, but not the one server it names: that is waited for.
  const endOutage = scene.world.outage();
  const wrong = { VOICE_API_KEY: 'a-key-the-service-does-not-know' };
  const bot = startBotHere({ env: { ...botEnv(scene, scene.dataDir), ...WATCHED.env, ...wrong } });
  onTestFinished(() => bot.stop());
  const { readiness, health } = await watcher(bot);
  expect(await readiness()).toMatchObject({ status: 503, checks: { commands: 'is being started' } });
  expect(await health()).toMatchObject({ status: 200 });

  endOutage();
  const noMoreThanTheKey = { status: 503, checks: { ...READY, speech: 'it does not accept the key' } };
  await expect.poll(readiness, POLLED).toEqual(noMoreThanTheKey);

  faults.refuseGateway(true);
  faults.dropGateway();
  await expect.poll(readiness, POLLED).toMatchObject({ checks: { discord: '1 of 1 connections are being made anew' } });
  expect(await health()).toMatchObject({ status: 200 });
  faults.refuseGateway(false);
  await expect.poll(readiness, POLLED).toEqual(noMoreThanTheKey);
});
