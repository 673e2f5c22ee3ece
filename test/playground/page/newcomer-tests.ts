import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { LogFeed } from '../../../src/playground/page/log-feed.ts';
import type { World } from '../../../src/playground/world/world.ts';
import type { OpenOptions } from './browser.ts';

/** The running page that these tests share with those of `page.test.ts`. */
interface Suite {
  world(): World;
  readonly feed: LogFeed;
  open(options?: OpenOptions): Promise<Page>;
  types(page: Page, line: string): Promise<void>;
}

const lastMessage = (page: Page) => page.locator('.message').last();
const bottomOf = (page: Page, selector: string) =>
  page
    .locator(selector)
    .last()
    .evaluate((element) => element.getBoundingClientRect().bottom);

/** Runs in the page: its own words that are English, in sight or for screen readers. */
function wordsWithEnglish(): string[] {
  interface Part {
    readonly textContent: string;
    readonly children: { readonly length: number };
    closest(selector: string): unknown;
    getAttribute(name: string): string | null;
  }
  const { document } = globalThis as unknown as { document: { querySelectorAll(selector: string): Iterable<Part> } };
  // What others wrote, the bot's log, and names are not the page's.
  const isOwn = (part: Part) => !part.closest('#messages, #log, [lang=en], #language, script, style, #uses, #sign-in');
  const english = /\b(the|and|with|of|this|is|are|not|what|your|you|by|from|let|answer|send|close|new|all|do|speak)\b/i;
  return [...document.querySelectorAll('body *')].filter(isOwn).flatMap((part) => {
    const own = part.children.length === 0 ? [part.textContent] : [];
    const named = ['aria-label', 'title', 'placeholder'].flatMap((name) => part.getAttribute(name) ?? []);
    return [...own, ...named].filter((words) => english.test(words.replace(/[\w-]+-[\w-]+/g, '')));
  });
}

/** What the page tells somebody who never used Discord, and what it does not make them look for. */
export function newcomerTests({ world, feed, open, types }: Suite): void {
  test('tells a newcomer what to do next until words of theirs were heard, and then no more', async () => {
    const page = await open({ state: 'as=alice' });
    const hint = page.locator('#hint');
    await hint.getByText('Enter a voice channel first').waitFor();
    await hint.getByRole('button', { name: 'Join: General' }).click();
    await hint.getByText('everybody in General hears them').waitFor();
    await types(page, '/say Not by this voice. voice:nobody');
    await lastMessage(page).getByText('There is no voice').waitFor();
    expect(await hint.isVisible()).toBe(true);

    await types(page, 'Hello, can you hear me?');
    const plain = page.locator('#plain');
    await plain.getByText('--set READ_MESSAGES=on').waitFor();
    // Once is enough.
    await types(page, 'And now?');
    await lastMessage(page).getByText('And now?').waitFor();
    await expect.poll(() => plain.textContent()).toBe('');

    await types(page, '/say Now they hear me.');
    await hint.waitFor({ state: 'hidden' });
    await page.reload();
    await page.locator('#self', { hasText: 'Alice' }).waitFor();
    await page.locator('.message').first().waitFor();
    expect(await hint.isVisible()).toBe(false);
    world().member('alice').leaves();
  });

  test('no longer says that a message is not spoken when a command was used after it', async () => {
    const page = await open({ state: 'as=alice' });
    await types(page, 'Is anybody there?');
    const plain = page.locator('#plain');
    await plain.getByText('--set READ_MESSAGES=on').waitFor();
    await types(page, '/queue ');
    await lastMessage(page).getByText('Only you can see this').waitFor();
    await expect.poll(() => plain.textContent()).toBe('');
  });

  test('says in the direct messages what works there, and what does not', async () => {
    const page = await open({ state: 'at=@bot' });
    await page.locator('#hint', { hasText: '--set DIRECT_USE=on. As its owner you can use /owner here.' }).waitFor();
    expect(await page.locator('#words').getAttribute('placeholder')).toBe('Message @Crier');
    await types(page, '/say Hello');
    await page.locator('#problem', { hasText: 'There is no command /say here' }).waitFor();
    await page.locator('#hint').getByRole('button', { name: 'Go to #general' }).click();
    await page.locator('#place', { hasText: 'general' }).waitFor();
  });

  test('says why nothing is heard: deafened, the bot muted, or the volume at 0', async () => {
    const page = await open();
    const caption = page.locator('#caption');
    const olga = world().member('olga');
    await page.getByRole('button', { name: 'Deafen', exact: true }).click();
    await caption.getByText('Olga is deafened and hears nothing.').waitFor();
    await page.getByRole('button', { name: 'Undeafen' }).click();
    await types(page, '/join ');
    await page.locator('.in-voice', { hasText: 'Crier' }).waitFor();
    olga.serverMutes('bot', true);
    await caption.getByText('Crier is muted here').waitFor();
    await page.locator('.in-voice').getByRole('img', { name: 'Muted by a moderator' }).waitFor();
    olga.serverMutes('bot', false);
    await caption.getByText('Silence').waitFor();
    await page.getByRole('button', { name: 'Sound off' }).click();
    await caption.getByText('its volume is 0').waitFor();
    await page.reload();
    await caption.getByText('its volume is 0').waitFor();
    expect(await page.getByRole('button', { name: 'Sound off' }).getAttribute('aria-pressed')).toBe('true');
  });

  test('shows the chat where a panel was open beside it on a wider screen', async () => {
    const page = await open();
    const panel = page.locator('#side');
    await panel.waitFor();
    await page.setViewportSize({ width: 390, height: 800 });
    await panel.waitFor({ state: 'hidden' });
    await types(page, '/say Here I am.');
    await page.locator('main').getByRole('button', { name: 'Behind the scenes' }).click();
    await panel.waitFor();
    const linked = await open({ width: 390, state: 'side=members' });
    await linked.locator('.message').first().waitFor();
    expect(await linked.locator('#side').isVisible()).toBe(false);
  });

  test('keeps the newest message in sight after a load, and while the box below it grows', async () => {
    const bob = world().member('bob');
    for (let line = 1; line <= 25; line += 1) bob.says(`Line ${line} of many that fill more than a screen.`);
    const page = await open({ width: 390 });
    const isInSight = async () => (await bottomOf(page, '.message')) <= (await bottomOf(page, '.messages')) + 1;
    await page.locator('#hint').waitFor();
    await expect.poll(isInSight, { timeout: 10_000 }).toBe(true);
    await page.locator('#words').fill('One\ntwo\nthree\nfour\nfive');
    await expect.poll(isInSight, { timeout: 10_000 }).toBe(true);
    // But a person who reads further up stays there.
    await page.locator('#messages-view').evaluate((view) => view.scrollTo(0, 0));
    await page.waitForFunction(() => {
      const { document } = globalThis as unknown as { document: { getElementById(id: string): { scrollTop: number } } };
      return document.getElementById('messages-view').scrollTop === 0;
    });
    bob.says('One more.');
    await lastMessage(page).getByText('One more.').waitFor({ state: 'attached' });
    expect(await isInSight()).toBe(false);
  });

  test('names what is said again and the control that did it; an option and a message go by their crosses', async () => {
    const page = await open();
    await types(page, '/say These words come twice.');
    const spoken = page.locator('.message', { hasText: 'Spoken in #General' }).last();
    await spoken.getByText('These words come twice.').waitFor();
    await spoken.getByRole('button', { name: 'Speak again' }).click();
    await page.locator('#uses').getByText('Olga: Speak again “These words come twice.”').waitFor({ state: 'attached' });
    await page.locator('#caption.speaking', { hasText: 'Crier: These words come twice.' }).waitFor();

    await page.locator('#words').click();
    await page.keyboard.type('/say One voice:zz');
    await page.getByRole('button', { name: 'Remove the option: voice' }).click();
    expect(await page.locator('[data-option]').count()).toBe(1);
    await page.keyboard.press('Escape');
    await types(page, '/say Hello voice:zz');
    const refusal = page.locator('.message', { hasText: 'There is no voice “zz”' });
    await refusal.getByRole('button', { name: 'Dismiss message' }).click();
    await refusal.waitFor({ state: 'detached' });
    await page.reload();
    await page.locator('.message').first().waitFor();
    expect(await refusal.count()).toBe(0);
  });

  test('a fault takes any value, says what was done in the language of the page, and is seen without colours', async () => {
    const page = await open();
    await page.getByText('All other faults').click();
    await page.getByLabel('Value: rest-slow').fill('1');
    await page.getByRole('button', { name: 'Do it: rest-slow' }).click();
    await page.locator('#fault-said', { hasText: 'Done: rest-slow 1.' }).waitFor();
    await page.getByLabel('Value: Encryption is slow').fill('70');
    const slow = page.getByRole('switch', { name: 'Encryption is slow' });
    await slow.click();
    await expect.poll(() => world().voiceServer.settings.daveHandshakeDelayMs).toBe(70);
    await page.emulateMedia({ forcedColors: 'active' });
    const ground = (name: string) =>
      page
        .getByRole('switch', { name })
        .evaluate(
          (element) =>
            (globalThis as unknown as { getComputedStyle(of: unknown): { backgroundColor: string } }).getComputedStyle(
              element,
            ).backgroundColor,
        );
    expect(await ground('Encryption is slow')).not.toBe(await ground('No credits left'));
    await slow.click();
    await expect.poll(() => world().voiceServer.settings.daveHandshakeDelayMs).toBe(0);
    await page.locator('#fault-said', { hasText: 'Over: Encryption is slow.' }).waitFor();
  });

  test.each([
    {
      locale: 'de-DE',
      refused: 'Alice kann Full nicht beitreten: Der Kanal ist voll.',
      done: 'Erledigt: rest-slow 1.',
    },
    { locale: 'es-ES', refused: 'Alice no puede entrar en Full: el canal está lleno.', done: 'Hecho: rest-slow 1.' },
  ])('is all in the language of the person: $locale', async ({ locale, refused, done }) => {
    const page = await open({ locale, state: 'as=alice' });
    const language = locale.slice(0, 2);
    await page.locator(`html[lang=${language}]`).waitFor();
    await page.locator('#voice-channels .join').nth(2).click();
    await page.locator('#problem', { hasText: refused }).waitFor();
    // The next act makes it a thing of the past.
    await page.locator('#voice-channels .join').nth(1).click();
    await page.locator('#self .connected').waitFor();
    expect(await page.locator('#problem').textContent()).toBe('');
    await page.locator('#scenes summary').click();
    await page.locator('[data-value-of="rest-slow"]').fill('1');
    await page.locator('[data-fault="rest-slow"]').click();
    await page.locator('#fault-said', { hasText: done }).waitFor();
    await page.locator('#copy-link').click();
    await page.locator('#copied', { hasText: '#' }).waitFor();
    await page.locator('#open-members').click();
    const english = await page.evaluate(wordsWithEnglish);
    expect(english).toEqual([]);
    world().member('alice').leaves();
    world().member('alice').setsLanguage('en-US');
  });

  test('a page that stands still while much is queued for it is cut off, says so, and goes on', async () => {
    const page = await open();
    const standing = page.waitForEvent('console', (message) => message.text() === 'standing still');
    const moving = page.evaluate(() => {
      console.log('standing still');
      for (const untilMs = performance.now() + 2_000; performance.now() < untilMs; );
    });
    await standing;
    const line = { level: 10, msg: 'x'.repeat(1024 * 1024) };
    for (let mebibyte = 0; mebibyte < 80; mebibyte += 1) feed.push(line);
    // The pages to come need not read them.
    for (let short = 0; short < 300; short += 1) feed.push({ level: 10, msg: '' });
    await moving;
    await page.locator('#back', { hasText: /connected again/i }).waitFor({ timeout: 40_000 });
    world().member('bob').says('Still there?');
    await lastMessage(page).getByText('Still there?').waitFor();
  });
}
