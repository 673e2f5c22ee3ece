// Makes the pictures of the README and of docs/start/playground.md from the playground's page: npm run pictures (needs Chromium and
// ffmpeg). The moving one is a recording: a member types, the bot joins and speaks, and reads a message aloud.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { chromium } from 'playwright-core';
import { Demo, openDemoPage } from '../src/playground/demo/demo.ts';

const DOCS = join(import.meta.dirname, '..', 'docs');
const CHROMIUM = process.env.CHROMIUM_BIN ?? '/usr/bin/chromium';

/** Records what `page` shows until the returned function is called, which writes the recording to `file`. */
async function record(page) {
  const folder = mkdtempSync(join(tmpdir(), 'crier-pictures-'));
  const session = await page.context().newCDPSession(page);
  const frames = [];
  session.on('Page.screencastFrame', ({ data, metadata, sessionId }) => {
    const name = `${frames.length}.png`;
    writeFileSync(join(folder, name), data, 'base64');
    frames.push({ name, seconds: metadata.timestamp });
    // Fails for the frame that arrives while the recording ends.
    session.send('Page.screencastFrameAck', { sessionId }).catch(() => undefined);
  });
  await session.send('Page.startScreencast', { format: 'png' });
  return async (file) => {
    await session.send('Page.stopScreencast');
    const end = Date.now() / 1_000;
    const list = frames.map(({ name, seconds }, index) => {
      const duration = Math.max(0.01, (frames[index + 1]?.seconds ?? end) - seconds);
      return `file ${name}\nduration ${duration.toFixed(3)}`;
    });
    // The last file is repeated, without which its duration does not count.
    writeFileSync(join(folder, 'frames.txt'), `ffconcat version 1.0\n${list.join('\n')}\nfile ${frames.at(-1).name}\n`);
    const filters =
      'fps=10,split[a][b];[a]palettegen=max_colors=128:stats_mode=full[p];[b][p]paletteuse=dither=none:diff_mode=rectangle';
    const { status, stderr } = spawnSync(
      process.env.FFMPEG_BIN ?? 'ffmpeg',
      ['-v', 'error', '-y', '-i', join(folder, 'frames.txt'), '-filter_complex', filters, file],
      { encoding: 'utf8' },
    );
    rmSync(folder, { recursive: true });
    if (status !== 0) throw new Error(`ffmpeg could not make ${file}: ${stderr}`);
  };
}

const demo = await Demo.start({ configuredVoice: false, settings: {} });
let served;
let browser;
try {
  const { world } = demo;
  world.member('olga').joins('General');
  world.member('bob').joins('General');
  served = await openDemoPage(demo, 0);
  browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ['--no-sandbox', '--autoplay-policy=no-user-gesture-required'],
  });
  const page = await browser.newPage({
    viewport: { width: 1_160, height: 620 },
    colorScheme: 'dark',
    reducedMotion: 'reduce',
  });
  await page.goto(served.address());
  await page.locator('.in-voice', { hasText: 'Olga' }).waitFor();
  const speaking = () => page.locator('#caption.speaking').waitFor({ timeout: 60_000 });
  const silence = () => page.locator('#caption:not(.speaking)').waitFor({ timeout: 60_000 });
  const types = async (words) => {
    await page.locator('#words').click();
    await page.keyboard.type(words, { delay: 45 });
    await wait(400);
    await page.keyboard.press('Enter');
  };

  const read = await world.member('olga').command('settings read', { channel: '#general', on: true });
  await read.reply({ timeoutMs: 30_000 });
  const save = await record(page);
  await wait(1_000);
  await types('/say Dinner in five!');
  await speaking();
  await silence();
  await page.locator('.message', { hasText: 'Spoken in' }).waitFor();
  await wait(1_200);
  world.member('bob').says('Coming! Save me a seat.');
  await speaking();
  await silence();
  await wait(2_000);
  await save(join(DOCS, 'crier.gif'));

  await page.setViewportSize({ width: 1_280, height: 800 });
  await page.getByRole('button', { name: 'Behind the scenes' }).click();
  await types('/say See you all in the lobby.');
  await speaking();
  await page.locator('.in-voice .speaking').waitFor();
  await page.screenshot({ path: join(DOCS, 'playground.png') });
} finally {
  await browser?.close();
  await served?.close();
  await demo.close();
}
// The sockets of a browser that is gone may keep Node for a while.
process.exit();
