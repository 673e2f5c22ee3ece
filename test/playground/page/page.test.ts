import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type Demo, startDemo } from '../../../src/playground/demo/demo.ts';
import { type DemoPage, openDemoPage } from '../../../src/playground/demo/demo-page.ts';
import { createLogFeed } from '../../../src/playground/page/log-feed.ts';
import { hasChromium, startBrowser } from '../../chromium.ts';
import { type OpenOptions, openPage } from './browser.ts';
import { similarity } from './compare-sound.ts';
import { newcomerTests } from './newcomer-tests.ts';
import { recordSound, withoutOwnDecoder } from './recorder.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const ATTEMPTS_FOR_MS = 45_000;

interface AxeResults {
  readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[];
}

describe.skipIf(!hasChromium)('the page of the playground in a real browser', () => {
  let browser: Browser;
  let demo: Demo;
  let served: DemoPage;
  const feed = createLogFeed();
  beforeAll(async () => {
    [browser, demo] = await Promise.all([
      startBrowser(),
      startDemo({ configuredVoice: false, settings: {}, onLogLine: feed.push }),
    ]);
    demo.world.member('olga').joins('General');
    served = await openDemoPage(demo, feed, { port: 0 });
    demo.world.member('bob').says('Hello everybody!');
  });
  afterAll(async () => {
    await browser?.close();
    await served?.close();
    await demo?.close();
  });

  /** Anything the browser complains about fails the test. */
  async function open(options: OpenOptions = {}): Promise<Page> {
    const { page, complaints } = await openPage(browser, served.address(), options);
    onTestFinished(() => expect(complaints).toEqual([]));
    return page;
  }
  const lastMessage = (page: Page) => page.locator('.message').last();
  const suggestions = (page: Page) => page.locator('#suggestions [role="option"]');
  async function types(page: Page, line: string): Promise<void> {
    await page.locator('#words').click();
    await page.keyboard.type(line);
    await page.keyboard.press('Enter');
  }

  /** Says a text in the page; how much of what the listener decrypted came out of the page's loudspeakers. */
  async function saysAndHears(page: Page, text: string): Promise<{ same: number; reversed: number }> {
    const { listener } = demo.world.member('olga');
    listener.clear();
    await page.evaluate(() => {
      globalThis.heardBlocks = [];
    });
    await page.locator('#words').click();
    await page.keyboard.type(`/say ${text} voice:basil`);
    await suggestions(page).filter({ hasText: 'basil (ext)' }).click();
    await page.keyboard.press('Enter');
    const heard = await listener.utterance({ timeoutMs: 20_000 });
    expect(heard.endToEndEncrypted).toBe(true);
    // The buffers hold the last of it for a moment.
    const blocks = await page.evaluate(() => globalThis.heardBlocks.length);
    await page.waitForFunction((before) => globalThis.heardBlocks.length > before + 2, blocks);
    const recorded = Float32Array.from((await page.evaluate(() => globalThis.heardBlocks)).flat());
    return { same: similarity(heard.pcm, recorded), reversed: similarity(heard.pcm, recorded.toReversed()) };
  }

  let said = 0;
  /** A busy machine may stall for longer than the buffer of 60 ms holds, and that is heard: the best of some attempts counts. */
  async function expectSound(page: Page): Promise<void> {
    let best = { same: 0, reversed: 1 };
    const deadlineMs = performance.now() + ATTEMPTS_FOR_MS;
    while (best.same < 0.9 && performance.now() < deadlineMs) {
      // Not heard before: it is asked of the speech service.
      said += 1;
      const result = await saysAndHears(page, `Good morning, number ${said}.`);
      if (result.same > best.same) best = result;
    }
    expect(best.same).toBeGreaterThanOrEqual(0.9);
    // It is a measure of likeness: other sound has little of it.
    expect(best.reversed).toBeLessThan(0.7);
  }

  test('a member types /say, picks a voice that the bot suggests, sees the reply, and hears the words', async () => {
    const page = await open({ before: [recordSound] });
    await expectSound(page);
    await lastMessage(page).getByText('with basil (ext): “Good morning').waitFor();
    expect(await page.locator('.message .above').last().textContent()).toContain('Olga used /say');
    expect(await page.locator('#voice-facts').textContent()).toContain('WebCodecs');
    const steps = await page.locator('#steps .step-name').allTextContents();
    for (const step of ['Interaction', 'Speech answered', 'First packet heard', 'Last packet heard'])
      expect(steps).toContain(step);
    await expect.poll(() => page.locator('#facts').textContent()).toMatch(/Credits\d+ · [\d,]+ left/);
  });

  test('a browser without a decoder of its own hears the same by WebAssembly', async () => {
    const page = await open({ before: [recordSound, withoutOwnDecoder] });
    await expectSound(page);
    expect(await page.locator('#voice-facts').textContent()).toContain('WASM');
  });

  test('shows who speaks and what is being said, and silence after it', async () => {
    const page = await open();
    await types(page, '/say This is a caption that can be read along.');
    await page.locator('#caption.speaking', { hasText: 'Crier: This is a caption that can be read along.' }).waitFor();
    await page.locator('.in-voice .speaking', { hasText: 'Crier' }).waitFor();
    await expect.poll(() => page.locator('#meter .on').count()).toBeGreaterThan(0);
    await page.locator('#caption:not(.speaking)').waitFor();
    expect(await page.locator('.in-voice .speaking').count()).toBe(0);
  });

  test('suggests commands and options as they are typed, and says which option is missing', async () => {
    const page = await open();
    await page.keyboard.type('/set');
    expect(await suggestions(page).first().textContent()).toContain('/settings');
    await page.keyboard.press('Escape');
    await page.locator('#words').fill('');
    await types(page, '/settings mute ');
    expect(await page.locator('#problem').textContent()).toContain('member: this option is required.');
    expect(await page.locator('[data-option="member"]').getAttribute('aria-invalid')).toBe('true');
    // As in Discord's client, what the option is for stands above the line.
    expect(await page.locator('#described').textContent()).toMatch(/^member \w/);
    // Members are offered by name; the option's own name, as documents write it, is no part of theirs.
    await page.keyboard.type('member:Fra');
    expect(await suggestions(page).allTextContents()).toEqual(['Frank']);
    await page.keyboard.press('Escape');
  });

  test('keeps all of a long text that is pasted with its command, and says that it is too long', async () => {
    const page = await open();
    const line = `/say ${'word '.repeat(960)}end`;
    await page.locator('#words').click();
    await page.keyboard.insertText(line);
    const field = page.locator('[data-option="text"]');
    expect(await field.inputValue()).toBe(line.slice('/say '.length));
    await field.press('Enter');
    await page.locator('#problem', { hasText: 'text: at most 4000 characters, please.' }).waitFor();
    await field.press('Escape');
    await types(page, '/say ');
    const dialog = page.locator('#modal[open]');
    await dialog.locator('textarea').click();
    await page.keyboard.insertText('word '.repeat(960));
    await dialog.getByRole('button', { name: 'Submit' }).click();
    await dialog.locator('#modal-problem', { hasText: 'takes at most 4000 characters' }).waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
  });

  test('a command that is removed leaves an empty box, and nothing on offer', async () => {
    const page = await open();
    await page.locator('#words').click();
    await page.keyboard.type('/say Never mind');
    await page.getByRole('button', { name: '/say, remove the command' }).click();
    expect(await page.locator('#words').inputValue()).toBe('');
    expect(await suggestions(page).count()).toBe(0);
    expect(await page.locator('#suggestion-count').textContent()).toBe('');
    // At the start of the line Backspace goes back to the name: another command may be meant.
    await page.keyboard.type('/settings mute ');
    await page.locator('[data-option="member"]').press('Backspace');
    expect(await page.locator('#words').inputValue()).toBe('/settings mute');
    await page.keyboard.press('Escape');
    expect(await page.locator('#suggestion-count').textContent()).toBe('');
  });

  test('menus, buttons and a form of a container that only one person sees', async () => {
    const page = await open();
    await types(page, '/settings panel ');
    const panel = page.locator('.message', { hasText: 'Server settings' }).last();
    await panel.waitFor();
    expect(await panel.textContent()).toContain('Only you can see this');
    await panel.getByRole('button', { name: 'Style and speed …' }).click();
    const dialog = page.locator('#modal[open]');
    await dialog.waitFor();
    await dialog.locator('input, textarea').first().fill('calm');
    const sent: string[] = [];
    onTestFinished(demo.world.onInteraction(({ kind }) => sent.push(kind)));
    // As by two clicks in quick succession.
    await dialog.locator('form').evaluate((form: { requestSubmit?(): void }) => {
      form.requestSubmit?.();
      form.requestSubmit?.();
    });
    await dialog.waitFor({ state: 'hidden' });
    // All of them, so that a failure shows what came instead.
    await expect
      .poll(() => page.locator('.message').allTextContents(), { timeout: 30_000 })
      .toContainEqual(expect.stringContaining('Default style: now calm'));
    expect(sent).toEqual(['modalSubmit']);
    const menu = panel.locator('select.menu').first();
    const before = await panel.textContent();
    await menu.selectOption({ index: 2 });
    await expect.poll(() => panel.textContent()).not.toBe(before);
    const other = await open({ state: 'as=alice' });
    await other.locator('#self', { hasText: 'Alice' }).waitFor();
    expect(await other.locator('.message', { hasText: 'Server settings' }).count()).toBe(0);
  });

  test('a file that the bot saved plays, and a voice message too', async () => {
    const page = await open();
    await types(page, '/say Keep this as a file.');
    const spoken = page.locator('.message', { hasText: 'Keep this as a file.' });
    await spoken.getByRole('button', { name: 'Save as file' }).click();
    await page
      .getByRole('button', { name: /^Play speech\./ })
      .last()
      .click();
    const plays = () =>
      page
        .locator('audio')
        .evaluateAll((players) => players.some((player) => Number(Reflect.get(player, 'currentTime')) > 0));
    await expect.poll(plays).toBe(true);
    await page.locator('#words').click();
    await page.keyboard.type('/say A voice message. as:voice m');
    await suggestions(page).filter({ hasText: 'voice message' }).click();
    await page.keyboard.press('Enter');
    await page.locator('.voice-message').last().getByRole('button', { name: 'Play' }).click();
    await page.locator('.voice-message').last().getByRole('button', { name: 'Pause' }).waitFor();
    await page.locator('.voice-message .played').first().waitFor();
  });

  test('each member sees and is refused as in Discord: one muted for the bot, one with a German Discord', async () => {
    const page = await open({ state: 'side=members' });
    await page.getByRole('button', { name: 'Act as Mia' }).click();
    await types(page, '/say I am muted.');
    await lastMessage(page).getByText('A server manager muted you here.').waitFor();
    await page.getByRole('button', { name: 'Act as Greta' }).click();
    await page.locator('h2', { hasText: 'Mitglieder' }).waitFor();
    expect(await page.locator('html').getAttribute('lang')).toBe('de');
    await page.locator('#words').click();
    await page.keyboard.type('/sa');
    expect(await suggestions(page).first().textContent()).toContain('Sprachkanal');
    await page.keyboard.press('Escape');
    await page.locator('#language').selectOption('es-ES');
    await page.locator('h2', { hasText: 'Miembros' }).waitFor();
    expect(await page.locator('#faults').textContent()).toContain('Sin créditos');
    await page.locator('#language').selectOption('de');
  });

  test('what members write is never markup; Discord’s own signs are shown as it shows them', async () => {
    const page = await open();
    const bob = demo.world.member('bob');
    bob.says('<img src=x onerror=alert(1)> **bold** `co_de_` ||secret|| https://example.com/a_b @alice');
    const message = lastMessage(page);
    await message.getByText('<img src=x onerror=alert(1)>').waitFor();
    expect(await message.locator('strong', { hasText: /^bold$/ }).count()).toBe(1);
    expect(await message.locator('code').textContent()).toBe('co_de_');
    expect(await message.getByRole('link').getAttribute('href')).toBe('https://example.com/a_b');
    expect(await message.locator('.mention').textContent()).toBe('@Alice');
    await message.locator('.spoiler').click();
    expect(await message.locator('.spoiler').getAttribute('aria-expanded')).toBe('true');
  });

  test('a time that no calendar has is shown as it was written, and the messages after it too', async () => {
    const page = await open();
    const bob = demo.world.member('bob');
    bob.says('A moment that no clock has: <t:99999999999999:R>');
    await lastMessage(page).getByText('A moment that no clock has: <t:99999999999999:R>').waitFor();
    bob.says('And on it goes.');
    await lastMessage(page).getByText('And on it goes.').waitFor();
  });

  test('joins and leaves voice channels, and mutes', async () => {
    const page = await open({ state: 'as=bob' });
    await page.getByRole('button', { name: 'Join: Lounge' }).click();
    await page.locator('#self', { hasText: 'In voice: Lounge' }).waitFor();
    await page.getByRole('button', { name: 'Mute', exact: true }).click();
    await page.getByRole('button', { name: 'Unmute' }).waitFor();
    expect(demo.world.members.find(({ name }) => name === 'bob')?.voice?.selfMute).toBe(true);
    await page.getByRole('button', { name: 'Leave: Lounge' }).click();
    await page.getByRole('button', { name: 'Join: Lounge' }).waitFor();
    await page.getByRole('button', { name: 'Join: Full' }).click();
    await page.locator('#problem', { hasText: 'the channel is full' }).waitFor();
  });

  test('a fault of the speech service is switched on, shows in the reply and in the link, and is over again', async () => {
    const page = await open();
    const fault = page.getByRole('switch', { name: 'No credits left' });
    // It would hold for the tests after this one, too.
    onTestFinished(async () => void (await demo.faults.set(demo.world, 'speech-no-credits off')));
    await fault.click();
    await expect.poll(() => fault.getAttribute('aria-checked')).toBe('true');
    expect(page.url()).toContain('speech-no-credits');
    await types(page, '/say There is nothing to pay with.');
    await lastMessage(page).getByText('enough credits left').waitFor();
    await fault.click();
    await expect.poll(() => fault.getAttribute('aria-checked')).toBe('false');
    expect(page.url()).not.toContain('speech-no-credits');
  });

  test('faults of a link are switched on only when the person agrees: any web site can open such a link', async () => {
    const page = await open();
    const asked: string[] = [];
    let answer: 'accept' | 'dismiss' = 'dismiss';
    page.on('dialog', (dialog) => {
      asked.push(dialog.message());
      void dialog[answer]();
    });
    const follow = async () => {
      await page.goto('about:blank');
      await page.goto(`${new URL('/', served.address()).href}#faults=speech-no-credits`);
      await page.locator('#server-name', { hasText: 'Playground' }).waitFor({ state: 'attached' });
    };
    const fault = page.getByRole('switch', { name: 'No credits left' });
    await follow();
    await expect.poll(() => asked).toEqual(['This link wants to let something fail: speech-no-credits. Do it?']);
    expect(await fault.getAttribute('aria-checked')).toBe('false');
    answer = 'accept';
    await follow();
    await expect.poll(() => fault.getAttribute('aria-checked')).toBe('true');
    await fault.click();
    await expect.poll(() => fault.getAttribute('aria-checked')).toBe('false');
  });

  test('a link leads to the same person, place, panel and line', async () => {
    const page = await open({ state: 'as=alice&at=Lounge&side=members' });
    await page.keyboard.type('/say A line for a report.');
    await page.getByRole('button', { name: 'Behind the scenes' }).click();
    await page.getByRole('button', { name: 'Copy a link to this state' }).click();
    const copied = await page.evaluate<string>('navigator.clipboard.readText()');
    expect(copied).not.toContain('token');
    const again = await open({ state: new URL(copied).hash.slice(1) });
    await again.locator('#place', { hasText: 'Lounge' }).waitFor();
    await again.locator('#self', { hasText: 'Alice' }).waitFor();
    expect(await again.locator('[data-option="text"]').inputValue()).toBe('A line for a report.');
  });

  test('a link of another playground, with a member who is not here, leads to the start', async () => {
    const page = await open({ state: 'as=nobody&at=nowhere' });
    await page.locator('#self', { hasText: 'Olga' }).waitFor();
    await page.locator('#problem', { hasText: 'nobody' }).waitFor();
  });

  test('opens with its one-time address once, and asks another browser for the next one', async () => {
    const address = served.address();
    const page = await open();
    expect(page.url()).not.toContain('token');
    await page.reload();
    await page.locator('#server-name', { hasText: 'Playground' }).waitFor();
    const context = await browser.newContext();
    onTestFinished(() => context.close());
    const other = await context.newPage();
    await other.goto(address);
    await other.getByText('This address is wrong or was used before').waitFor();
    const field = other.getByLabel('Address or token');
    await field.fill(address);
    await other.getByRole('button', { name: 'Open', exact: true }).click();
    await other.getByText('This address is wrong or was used before').waitFor();
    expect(await other.locator('#server-name').textContent()).toBe('Crier');
    await field.fill(served.address());
    await other.keyboard.press('Enter');
    await other.locator('#server-name', { hasText: 'Playground' }).waitFor();
  });

  newcomerTests({ world: () => demo.world, feed, open, types });

  test.each([
    { width: 1_280, colorScheme: 'dark' },
    { width: 1_280, colorScheme: 'light' },
    { width: 390, colorScheme: 'dark' },
    { width: 390, colorScheme: 'light' },
  ] as const)('axe finds nothing, and nothing is wider than the window: $width px, $colorScheme', async (look) => {
    const page = await open(look);
    await page.locator('.message').first().waitFor();
    const check = async () => {
      // Evaluated by the debugger: the page's own policy allows no script but its files.
      await page.evaluate(AXE);
      const { violations } = await page.evaluate(() =>
        (globalThis as unknown as { axe: { run(): Promise<AxeResults> } }).axe.run(),
      );
      expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
      expect(await page.locator('html').evaluate(({ scrollWidth }) => scrollWidth)).toBeLessThanOrEqual(look.width);
    };
    await check();
    await types(page, '/settings panel ');
    await lastMessage(page).getByText('Server settings').waitFor();
    await check();
    await page.locator('#words').click();
    await page.keyboard.type('/say Hello voice:a');
    await suggestions(page).first().waitFor();
    await check();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    for (const name of look.width < 960 ? ['Channels', 'Members', 'Behind the scenes'] : ['Members']) {
      await page.locator('main').getByRole('button', { name }).click();
      await check();
      if (look.width < 960) await page.keyboard.press('Escape');
    }
  });
});
