// Makes the pictures of the README and of docs/playground.md from the playground's page: npm run pictures (needs Chromium).
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { startDemo } from '../src/playground/demo/demo.ts';
import { openDemoPage } from '../src/playground/demo/demo-page.ts';
import { createLogFeed } from '../src/playground/page/log-feed.ts';

const DOCS = join(import.meta.dirname, '..', 'docs');
const CHROMIUM = process.env.CHROMIUM_BIN ?? '/usr/bin/chromium';

const feed = createLogFeed();
const demo = await startDemo({ configuredVoice: false, settings: {}, onLogLine: feed.push });
let served;
let browser;
try {
  const { world } = demo;
  world.member('olga').joins('General');
  world.member('alice').joins('General');
  served = await openDemoPage(demo, feed, { port: 0 });
  browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ['--no-sandbox', '--autoplay-policy=no-user-gesture-required'],
  });
  const page = await browser.newPage({
    viewport: { width: 1_280, height: 800 },
    colorScheme: 'dark',
    reducedMotion: 'reduce',
  });
  await page.goto(served.address());
  await page.locator('.in-voice', { hasText: 'Olga' }).waitFor();

  const says = async (who, text) => {
    const sent = await world.member(who).command('say', { text });
    await sent.reply({ timeoutMs: 30_000, until: /^Spoken in/ });
  };
  await says('alice', 'Good evening everybody, the game starts in ten minutes.');
  world.member('olga').says('Thanks! I am on my way.');
  await page.locator('#words').click();
  await page.keyboard.type('/say See you all in the lobby.');
  await page.keyboard.press('Enter');
  await page.locator('#caption.speaking', { hasText: 'See you all' }).waitFor();
  await page.locator('.in-voice .speaking').waitFor();
  await page.locator('.step-name', { hasText: 'Last packet heard' }).waitFor();
  await page.screenshot({ path: join(DOCS, 'playground.png') });

  await page.locator('.message', { hasText: 'Spoken in #General' }).nth(1).waitFor();
  await page.locator('#close-scenes').click();
  await page.setViewportSize({ width: 1_000, height: 640 });
  await page.locator('#words').blur();
  await page.screenshot({ path: join(DOCS, 'conversation.png') });
} finally {
  await browser?.close();
  await served?.close();
  await demo.close();
}
// The sockets of a browser that is gone may keep Node for a while.
process.exit();
