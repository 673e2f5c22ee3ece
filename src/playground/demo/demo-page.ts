import { rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { LogFeed } from '../page/connection.ts';
import { type PlaygroundPage, startPlaygroundPage } from '../page/page-server.ts';
import type { World } from '../world/world.ts';
import type { Demo } from './demo.ts';

/** The same at each start, so that a link from a report leads to the page of another person too. */
const USUAL_PORT = 8650;
const REPLY_TIMEOUT_MS = 10_000;

/** People of whom each shows something else on the page: a member muted for the bot, and a listener with a German Discord. */
async function addPeople(world: World): Promise<void> {
  world.newMember('greta').setsLanguage('de');
  world.member('greta').joins('General');
  world.newMember('mia').joins('Lounge');
  const muted = await world.member('olga').command('settings mute', { member: 'mia' }, { in: 'Lounge' });
  // On a machine that is busy at the start the page is there anyway.
  await muted.reply({ timeoutMs: REPLY_TIMEOUT_MS }).catch(() => undefined);
}

export async function openDemoPage(demo: Demo, feed: LogFeed, chosenPort: number | undefined): Promise<PlaygroundPage> {
  const { world, faults } = demo;
  await addPeople(world);
  const start = (port: number) => startPlaygroundPage({ world, faults, feed }, port);
  if (chosenPort !== undefined) return start(chosenPort);
  return start(USUAL_PORT).catch((error: NodeJS.ErrnoException) => {
    // Another playground runs.
    if (error.code === 'EADDRINUSE') return start(0);
    throw error;
  });
}

const escaped = (text: string) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

/**
 * Opens the page in the person's browser, where there is one: the printed address works in any case. The address goes there
 * in a private file: other accounts of this machine see the arguments of a program. Returns the function that removes it.
 */
export async function openBrowser(address: string, folder: string): Promise<() => void> {
  const file = resolve(folder, `open-page-${process.pid}.html`);
  const page = `<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=${escaped(address)}">\n`;
  writeFileSync(file, page, { mode: 0o600 });
  const { default: open } = await import('open');
  try {
    const browser = await open(pathToFileURL(file).href);
    // Without this listener a missing browser would end the program.
    browser.on('error', () => undefined);
  } catch {
    // No browser that could be started: the address is printed.
  }
  return () => rmSync(file, { force: true });
}
