import { existsSync } from 'node:fs';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { findOnPath } from '../src/cli/actions/play.ts';
import { isMissing } from './missing-program.ts';

const CHROMIUM = process.env.CHROMIUM_BIN ?? findOnPath('chromium', process.env) ?? 'chromium';
export const hasChromium = !isMissing(
  existsSync(CHROMIUM),
  `${CHROMIUM} is missing (Debian package chromium; CHROMIUM_BIN names another): pages are not tried in a browser`,
);

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--autoplay-policy=no-user-gesture-required',
];

export const startBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath: CHROMIUM, headless: true, args: FLAGS });

/** A page, closed with the test; whatever the browser complains of, such as a script's error or a broken policy, fails the test. */
export async function uncomplainingPage(context: BrowserContext, expected: RegExp): Promise<Page> {
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    const isComplaint = message.type() === 'error' || message.type() === 'warning';
    if (isComplaint && !expected.test(message.text())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  onTestFinished(async () => {
    await page.close();
    expect(complaints).toEqual([]);
  });
  return page;
}
