import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Demo, openDemoPage } from '../../../src/playground/demo/demo.ts';
import type { PlaygroundPage } from '../../../src/playground/page/page-server.ts';
import { expectAccessible, hasChromium, startBrowser, uncomplainingPage } from '../../chromium.ts';
import { similarity } from './compare-sound.ts';

const RECORDER = fileURLToPath(new URL('./recorder.js', import.meta.url));

describe.skipIf(!hasChromium)('the page of the playground in a real browser', () => {
  let browser: Browser;
  let demo: Demo;
  let served: PlaygroundPage;
  beforeAll(async () => {
    [browser, demo] = await Promise.all([startBrowser(), Demo.start({ configuredVoice: false, settings: {} })]);
    demo.world.member('olga').joins('General');
    served = await openDemoPage(demo, 0);
    demo.world.member('bob').says('Hello everybody!');
  });
  afterAll(async () => {
    await browser?.close();
    await served?.close();
    await demo?.close();
  });

  /** The page with its one-time address, loaded. A recorder has to bypass the page's policy. */
  async function open({ isRecorded = false } = {}): Promise<Page> {
    const viewport = { width: 1_280, height: 900 };
    const context = await browser.newContext({ viewport, colorScheme: 'dark', bypassCSP: isRecorded });
    const page = await uncomplainingPage(context);
    if (isRecorded) await page.addInitScript({ path: RECORDER });
    await page.goto(served.address());
    await page.locator('#server-name', { hasText: 'Playground' }).waitFor({ state: 'attached' });
    return page;
  }
  const lastMessage = (page: Page) => page.locator('.message').last();
  /** All that is to be seen, so that a failure shows what came instead. */
  const seen = (page: Page) => expect.poll(() => page.locator('#problem, .message').allTextContents());
  const suggestions = (page: Page) => page.locator('#suggestions [role="option"]');
  async function types(page: Page, line: string): Promise<void> {
    await page.locator('#words').fill(line);
    await page.locator('#words').press('Enter');
  }

  test('a member types /say, picks a voice that the bot suggests, sees the reply, and hears the words', async () => {
    const page = await open({ isRecorded: true });
    const { listener } = demo.world.member('olga');
    // A busy machine may stall for longer than the buffer holds, and that is heard: the best of some attempts counts.
    let best = 0;
    for (let attempt = 1; attempt <= 4 && best < 0.8; attempt += 1) {
      listener.clear();
      await page.evaluate('heardBlocks = []');
      await page.locator('#words').click();
      await page.keyboard.type(`/say Good morning, number ${attempt}. voice:basil`);
      await suggestions(page).filter({ hasText: 'basil · male, British' }).click();
      await page.keyboard.press('Enter');
      await Promise.all([
        page.locator('#caption.speaking', { hasText: 'Crier speaks' }).waitFor(),
        page.locator('.in-voice .speaking', { hasText: 'Crier' }).waitFor(),
      ]);
      const heard = await listener.utterance();
      expect(heard.endToEndEncrypted).toBe(true);
      await page.locator('#caption:not(.speaking)').waitFor();
      const recorded = Float32Array.from((await page.evaluate<number[][]>('heardBlocks')).flat());
      best = Math.max(best, similarity(heard.pcm, recorded));
    }
    expect(best).toBeGreaterThanOrEqual(0.8);
    const reply = /Olga used say.*with basil · male, British: “Good morning/;
    await seen(page).toContainEqual(expect.stringMatching(reply));
  });

  test('suggests commands, options and people as they are typed, and says what is wrong with a line', async () => {
    const page = await open();
    const words = page.locator('#words');
    await words.pressSequentially('/settings mu');
    await suggestions(page).filter({ hasText: '/settings mute' }).waitFor();
    await page.keyboard.press('Tab');
    await suggestions(page).filter({ hasText: 'member:' }).waitFor();
    await page.keyboard.type('member:Fra');
    await expect.poll(() => suggestions(page).allTextContents()).toEqual(['member:Frank']);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    expect(await words.inputValue()).toBe('/settings mute member:Frank');
    await types(page, '/settings mute');
    await page.locator('#problem', { hasText: 'This option is required: member' }).waitFor();
    await types(page, '/nothing');
    await page.locator('#problem', { hasText: 'There is no command /nothing here' }).waitFor();
    await page.keyboard.press('Escape');
    expect(await words.inputValue()).toBe('/nothing');
    // As in Discord, letters typed anywhere go into the box.
    await page.getByRole('button', { name: 'Send' }).focus();
    await page.keyboard.type(' 2');
    expect(await words.inputValue()).toBe('/nothing2');
    await words.fill('');
    await page.locator('#act-as').focus();
    await page.keyboard.type('/say');
    expect(await words.inputValue()).toBe('/say');
  });

  test('writes a command that a reply names into the box when it is clicked', async () => {
    const page = await open();
    await types(page, '/help');
    await lastMessage(page).getByRole('button', { name: '/voice set' }).click();
    expect(await page.locator('#words').inputValue()).toBe('/voice set ');
    await suggestions(page).filter({ hasText: 'voice:' }).first().waitFor();
  });

  test('a first visit offers three things to try, and has the panel closed', async () => {
    const page = await open();
    const first = page.getByRole('region', { name: 'First steps' });
    expect(await first.getByRole('button').allTextContents()).toEqual([
      'Say hello',
      'Listen to voices',
      'Set up as admin',
    ]);
    expect(await page.locator('#behind').isVisible()).toBe(false);
    await first.getByRole('button', { name: 'Say hello' }).click();
    await lastMessage(page).getByText('Hello! It is nice to meet you all.').waitFor();
    await page.locator('#act-as').selectOption('bob');
    await first.getByRole('button', { name: 'Set up as admin' }).click();
    await lastMessage(page).getByText('Olga used setup').waitFor();
    await types(page, 'That was it.');
    await first.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Behind the scenes' }).click();
    await page.reload();
    await page.locator('#behind').waitFor();
    expect(await first.isVisible()).toBe(false);
    const log = page.locator('#log');
    const below = () => log.evaluate((view) => view.scrollHeight - view.scrollTop - view.clientHeight);
    await expect.poll(() => log.evaluate(({ scrollTop }) => scrollTop)).toBeGreaterThan(0);
    await expect.poll(below).toBeLessThan(2);
  });

  test('shows what one writes oneself, and tells of what others write below', async () => {
    const page = await open();
    const bob = demo.world.member('bob');
    for (let line = 1; line <= 30; line += 1) bob.says(`Line ${line}.`);
    await lastMessage(page).getByText('Line 30.').waitFor();
    const end = () => lastMessage(page).evaluate((row) => row.getBoundingClientRect().bottom);
    const caption = page.locator('#caption');
    const before = await caption.boundingBox();
    await page.locator('#messages-view').evaluate((view) => view.scrollTo(0, 0));
    bob.says('Far below.');
    await page.getByRole('button', { name: 'New messages' }).click();
    await expect.poll(end).toBeLessThan(850);
    await page.getByRole('button', { name: 'New messages' }).waitFor({ state: 'hidden' });
    // The first steps make room, and the reply takes more than that.
    await types(page, '/help');
    await lastMessage(page).getByText('Olga used help').waitFor();
    await expect.poll(end).toBeLessThan(850);
    await page.locator('#messages-view').evaluate((view) => view.scrollTo(0, 0));
    await types(page, 'My own.');
    await lastMessage(page).getByText('My own.').waitFor();
    await expect.poll(end).toBeLessThan(850);
    expect((await caption.boundingBox())?.y).toBe(before?.y);
  });

  test('menus, buttons and a form of a container that only one person sees', async () => {
    const page = await open();
    // Another test of this file may have left panels of the same member.
    const panels = page.locator('.message', { hasText: 'Server settings' });
    const earlier = await panels.count();
    await types(page, '/settings panel');
    const panel = panels.nth(earlier);
    expect(await panel.textContent()).toContain('Only you can see this');
    const menu = panel.locator('select.menu').first();
    await menu.selectOption('words');
    // The page's name is in the menu all the time.
    await seen(page).toContainEqual(expect.stringContaining('Exceptions to blocked words: none'));
    await panel.getByRole('button', { name: 'Change' }).first().click();
    const dialog = page.locator('#modal[open]');
    await dialog.locator('input, textarea').first().fill('heck');
    // As by two clicks in quick succession.
    await dialog.locator('form').evaluate((form: { requestSubmit?(): void }) => {
      form.requestSubmit?.();
      form.requestSubmit?.();
    });
    await dialog.waitFor({ state: 'hidden' });
    await seen(page).toContainEqual(expect.stringContaining('Blocked words: now 1 word'));
    const before = await panel.textContent();
    await menu.selectOption({ index: 2 });
    await expect.poll(() => panel.textContent()).not.toBe(before);
    await page.locator('#act-as').selectOption('alice');
    await panel.waitFor({ state: 'detached' });
  });

  test.each(['Cancel', 'Submit'])('what is typed after a click on %s in a form is in the input box', async (button) => {
    const page = await open();
    await types(page, '/say');
    const dialog = page.locator('#modal[open]');
    await dialog.locator('textarea').first().fill('Written in the form.');
    await dialog.getByRole('button', { name: button }).click();
    await dialog.waitFor({ state: 'hidden' });
    await page.keyboard.type('Afterwards');
    expect(await page.locator('#words').inputValue()).toBe('Afterwards');
  });

  test('a list of several values is sent when the focus leaves it, by mouse and by keyboard', async () => {
    const page = await open();
    const setups = page.locator('.message', { hasText: 'Olga used setup' });
    const step = setups.nth(await setups.count());
    await types(page, '/setup');
    const next = step.getByRole('button', { name: 'Keep and go on' });
    await next.click();
    await step.getByText('Step 2 of 4').waitFor();
    await next.click();
    const channels = step.locator('select').nth(1);
    const allowed = step.locator('p', { hasText: 'Allowed channels' });
    await channels.getByRole('option', { name: '#general', exact: true }).click();
    // A person holds the button for longer than the bot takes to draw a message again.
    await next.hover();
    await page.mouse.down();
    const meanwhile = await demo.world.member('bob').command('credits', {}, { in: 'Lounge' });
    await meanwhile.reply();
    await page.mouse.up();
    await step.getByText('Step 4 of 4').waitFor();
    await step.getByRole('button', { name: 'Back' }).click();
    await expect.poll(() => allowed.textContent()).toContain('#general');
    expect(await step.getByRole('button', { name: 'Done' }).count()).toBe(0);
    await channels.focus();
    await page.keyboard.press('Control+Space');
    await page.keyboard.press('Tab');
    await expect.poll(() => allowed.textContent()).toContain(': all');
    await page.keyboard.press('Enter');
    await step.getByText('Step 2 of 4').waitFor();
    // Without leaving the list, a pause sends what was picked.
    const read = step.locator('p', { hasText: 'Channels read aloud' });
    demo.world.faults.rest({ path: /\/callback$/, delayMs: 1_000 });
    await step.locator('select').first().getByRole('option', { name: '#general', exact: true }).click();
    // The bot's answer would draw the message again while a person holds the button.
    await step.locator('select[aria-busy]').waitFor();
    await next.hover();
    await page.mouse.down();
    await step.locator('select[aria-busy]').waitFor({ state: 'detached' });
    await page.mouse.up();
    await step.getByText('Step 3 of 4').waitFor();
    await step.getByRole('button', { name: 'Back' }).click();
    await expect.poll(() => read.textContent()).toContain('#general');
  });

  test('a file that the bot saved plays, and a file goes with a command', async () => {
    const page = await open();
    await types(page, '/say Keep this as a file.');
    const spoken = page.locator('.message', { hasText: 'Keep this as a file.' });
    await spoken.getByRole('button', { name: 'Save as file' }).click();
    await page.getByRole('button', { name: 'Play', exact: true }).last().click();
    const times = () => page.locator('audio').evaluateAll((all) => all.map((one) => Reflect.get(one, 'currentTime')));
    await expect.poll(async () => Math.max(...(await times()))).toBeGreaterThan(0);
    const words = { name: 'words.csv', mimeType: 'text/csv', buffer: Buffer.from('word,spoken as\nGIF,jif\n') };
    await page.locator('#file').setInputFiles(words);
    await types(page, '/dictionary import');
    await lastMessage(page).getByText('Imported: 1 added').waitFor();
  });

  test('acts as another member: one who is muted for the bot, one with a German Discord', async () => {
    const page = await open();
    await page.locator('#act-as').selectOption('mia');
    await types(page, '/say I am muted.');
    await lastMessage(page).getByText('An admin muted you for this bot.').waitFor();
    await page.locator('#act-as').selectOption('greta');
    await page.locator('#words').pressSequentially('/sa');
    await expect.poll(() => suggestions(page).first().textContent()).toContain('Sprachkanal');
    await types(page, '/say Langsam. speed:0,3');
    await page.locator('#problem', { hasText: 'The option speed takes a number from 0.7 up to 1.5' }).waitFor();
    await types(page, '/say Langsam. speed:0,7');
    await lastMessage(page).getByText('Langsam.').waitFor();
    await page.locator('#language').selectOption('es-ES');
    await expect.poll(() => demo.world.member('greta').language).toBe('es-ES');
    await page.locator('#act-as').selectOption('bob');
    await page.locator('#caption', { hasText: 'Bob is in no voice channel and hears nothing.' }).waitFor();
    await page.getByRole('button', { name: 'Join: Lounge' }).click();
    await page.getByRole('button', { name: 'Leave: Lounge' }).click();
    await page.getByRole('button', { name: 'Join: Full' }).click();
    await page.locator('#problem', { hasText: 'the channel is full' }).waitFor();
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
    bob.says('A moment that no clock has: <t:99999999999999:R>');
    await message.getByText('A moment that no clock has: <t:99999999999999:R>').waitFor();
    const answered = bob.says('- **aria** in #general\n-# Page 1 of 2');
    demo.world.member('alice').says('That one.', { replyTo: answered });
    await message.getByText('That one.').waitFor();
    expect(await message.locator('.quiet').first().textContent()).toBe('↩ aria in #general');
  });

  test('a fault of the speech service is switched on, shows in the reply, and is over again', async () => {
    const page = await open();
    await page.getByRole('button', { name: 'Behind the scenes' }).click();
    await page.locator('#fault-name').selectOption('speech-used-up');
    await page.getByRole('button', { name: 'Do it' }).click();
    await page.locator('#faults-on', { hasText: 'speech-used-up on' }).waitFor();
    await types(page, '/say There is nothing to pay with.');
    await lastMessage(page).getByText('allowance').waitFor();
    await page.getByRole('button', { name: 'End it' }).click();
    await page.locator('#fault-said', { hasText: 'Over: speech-used-up.' }).waitFor();
    expect(await page.locator('#log').textContent()).toContain('Speech service answered');
  });

  test('is accessible, and fits its window', async () => {
    const page = await open();
    await types(page, '/settings panel');
    await lastMessage(page).getByText('Server settings').waitFor();
    await page.getByRole('button', { name: 'Behind the scenes' }).click();
    await page.locator('#words').pressSequentially('/say Hello voice:');
    await suggestions(page).first().waitFor();
    await expectAccessible(page);
    expect(await page.locator('html').evaluate(({ scrollHeight }) => scrollHeight)).toBe(900);
    await page.locator('#words').fill('');
    const height = async () => (await page.locator('#words').boundingBox())?.height ?? 0;
    await page.setViewportSize({ width: 390, height: 900 });
    await expect.poll(height).toBeGreaterThan(50);
    await page.setViewportSize({ width: 1_280, height: 900 });
    await expect.poll(height).toBeLessThan(40);
  });
});
