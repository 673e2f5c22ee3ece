import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { findOnPath } from '../src/cli/actions/play.ts';
import { isMissing } from './missing-program.ts';

const CHROMIUM = process.env.CHROMIUM_BIN ?? findOnPath('chromium') ?? 'chromium';
export const hasChromium = !isMissing(
  existsSync(CHROMIUM),
  `${CHROMIUM} is missing (Debian package chromium; CHROMIUM_BIN names another): pages are not tried in a browser`,
);

const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--autoplay-policy=no-user-gesture-required'];

export const startBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath: CHROMIUM, headless: true, args: FLAGS });

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface AxeResults {
  readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[];
}

/** Fails the test if axe finds something, or if the page is wider than its window: wide and dark, narrow and light. */
export async function expectAccessible(page: Page): Promise<void> {
  // Evaluated by the debugger: the page's own policy allows no script but its files.
  await page.evaluate(AXE);
  for (const [width, colorScheme] of [
    [1_280, 'dark'],
    [390, 'light'],
  ] as const) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme });
    const { violations } = await page.evaluate(() =>
      (globalThis as unknown as { axe: { run(): Promise<AxeResults> } }).axe.run(),
    );
    expect(violations.map(({ id, nodes }) => [width, id, nodes.map(({ html }) => html)])).toEqual([]);
    expect(await page.locator('html').evaluate(({ scrollWidth }) => scrollWidth)).toBeLessThanOrEqual(width);
  }
}

/** A page, closed with the test; whatever the browser complains of, such as a script's error or a broken policy, fails the test. */
export async function uncomplainingPage(context: BrowserContext, expected?: RegExp): Promise<Page> {
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    const isComplaint = message.type() === 'error' || message.type() === 'warning';
    if (isComplaint && !expected?.test(message.text())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  onTestFinished(async () => {
    await page.close();
    expect(complaints).toEqual([]);
  });
  return page;
}
