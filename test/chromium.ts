import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';
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
