import { describe, expect, it } from 'vitest';
import type { SentInteraction, VisibleMessage } from '../../src/playground/world/world.ts';
import { expectSameSpeech, newGuest, replyTo, sceneOfFile, settingsPage, textOf } from './scene.ts';

const scene = await sceneOfFile();
const olga = scene.world.member('olga');

interface Entry {
  readonly from: string;
  readonly to: string;
  readonly where?: string;
  readonly case?: string;
}

async function add(entry: Entry): Promise<SentInteraction> {
  const modal = await (await olga.types('/dictionary add')).modal();
  return olga.submits(modal, { ...entry });
}

async function imported(content: string, how: 'merge' | 'replace' = 'replace'): Promise<VisibleMessage> {
  const file = { name: 'words.tsv', contentType: 'application/octet-stream', bytes: Buffer.from(content) };
  return replyTo(olga.command('dictionary import', { file, how }));
}

const contentOf = ({ files: [file] }: VisibleMessage) => new TextDecoder().decode(file?.bytes);

/** The audio of a new member's own text. */
async function heardOf(text: string) {
  const person = newGuest(scene.world, 'General');
  await replyTo(person.command('say', { text }));
  return person.listener.utterance();
}

describe('/dictionary', () => {
  it('has a word heard as it is to be spoken, also after a restart', async () => {
    await imported('nobody\tnobody');
    expect(await textOf(add({ from: 'gif', to: 'jif' }))).toBe('“gif” is spoken as “jif” (was read as written).');
    const heard = await heardOf('Send me a GIF, not gifts.');
    expectSameSpeech(heard, await scene.said('Send me a jif, not gifts.'));

    // As it is written, it is an exception to other entries, or nothing.
    expect(await textOf(add({ from: 'tool', to: 'tool' }))).toContain('already read as it’s written');
    expect(await textOf(add({ from: 'gif wrap', to: 'gif wrap' }))).toContain('(was read as written)');
    expect(await textOf(add({ from: 'GIF', to: 'giff', where: 'Inside other words, too' }))).toBe(
      '“GIF” is spoken as “giff”, inside other words, too (was “gif” is spoken as “jif”).',
    );
    await scene.restartBot();
    const later = await heardOf('One gif more.');
    expectSameSpeech(later, await scene.said('One giff more.'));
  });

  it('speaks a text to try it out, and shows how it is read where nothing can be heard', async () => {
    await imported('SQL\tsequel');
    expect(await textOf(olga.types('/dictionary test text:I like sql.'))).toContain('It’s spoken as: “I like sequel.”');
    olga.joins('General');
    const tried = await replyTo(olga.types('/dictionary test text:I like SQL.'));
    expect(tried.ephemeral).toBe(true);
    expectSameSpeech(await olga.listener.utterance(), await scene.said('I like sequel.'));
    olga.leaves();
  });

  it('lists the entries in pages, where they are changed and removed', async () => {
    await imported(Array.from({ length: 12 }, (_, at) => `word${String(at).padStart(2, '0')}\tspoken${at}\n`).join(''));
    const list = await replyTo(olga.types('/dictionary list'));
    expect(list.ephemeral).toBe(true);
    expect(list.text).toContain('“word00” is spoken as “spoken0”');
    expect(list.text).not.toContain('word10');
    const second = await replyTo(olga.presses(list, 'Next page'), /word11/);
    expect(second.text).toContain('12 words');

    const modal = await (await olga.selects(second, 'Change a word', ['word11 → spoken11'])).modal();
    expect(modal.fields.map(({ value }) => value).slice(0, 2)).toEqual(['word11', 'spoken11']);
    // A refused change is opened again as it was typed.
    const refused = await replyTo(olga.submits(modal, { from: 'word10', to: 'other' }), /already/);
    const again = await (await olga.presses(refused, 'Edit')).modal();
    expect(again.fields.map(({ value }) => value).slice(0, 2)).toEqual(['word10', 'other']);
    const changed = await replyTo(olga.submits(modal, { to: '' }), /word11/);
    expect(changed.text).toContain('“word11” is skipped (was “word11” is spoken as “spoken11”).');

    const picked = ['word10 → spoken10', 'word11 → skipped'];
    const removed = await replyTo(olga.selects(changed, 'Remove words', picked), /Removed/);
    expect(removed.text).toContain('Removed: “word10” is spoken as “spoken10”.');
    expect(removed.text).toContain('10 words');
    // Another admin was quicker.
    const input = { kind: 'string', values: ['long-gone'] } as const;
    const late = { customId: 'dictionary-remove:0', input, message: removed };
    expect(await textOf(olga.forges(late), /nothing was changed/)).toContain('See /dictionary list');
  });

  it.each([
    ['Devanagari', 'क्षिज्ञा'],
    ['signs that are escaped', 'a@'],
  ])('lists long entries of %s, and removes a page of them at once', async (_, words) => {
    const long = (length: number) => words.repeat(Math.floor(length / words.length));
    const lines = Array.from({ length: 20 }, (_, at) => `${long(96)}${at}\t${long(196)}`);
    await imported(lines.join('\n'));
    const gudrun = scene.world.newMember(`gudrun${words.length}`, { permissions: ['ManageGuild'] });
    gudrun.setsLanguage('de');
    const list = await replyTo(gudrun.types('/dictionary list'));
    expect(list.text.split('\n').filter((line) => line.startsWith('- '))).toHaveLength(8);
    const [, menu] = list.menus;
    const all = (menu?.options ?? []).map(({ value }) => value);
    const removed = await textOf(gudrun.selects(list, 'Wörter entfernen', all), /12 Wörter/);
    expect(removed).toMatch(/Entfernt: .*\n.*\n.*\n-# … und 5 weitere/);
  });

  it('names the words that an import added, by which a file that is no dictionary is seen', async () => {
    await imported('kept\tstays');
    const config = Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`setting${at}`, `secret${at}`]));
    const { text } = await imported(JSON.stringify({ kept: 'goes', ...config }), 'merge');
    expect(text).toContain(
      `Added: ${Array.from({ length: 10 }, (_, at) => `setting${at}`).join(', ')}, and 2 more. To remove any of them: /dictionary list.`,
    );
    expect(text).not.toContain('secret');
  });

  it('exports a file that it imports again, and returns the entries that an import replaced', async () => {
    await imported('a.m.\tin the morning\tpart\tcase');
    const merged = await imported('p.m.\tin the evening\n', 'merge');
    expect(merged.text).toContain('1 added, 0 changed, 0 removed. Now 2 words; before 1 word.');
    expect(merged.files).toEqual([]);
    const exported = await replyTo(olga.command('dictionary export', { format: 'tsv' }));
    const kept = contentOf(exported);
    expect(kept).toBe('a.m.\tin the morning\tpart\tcase\np.m.\tin the evening\twhole\n');
    const replaced = await imported('other\tthing');
    expect(replaced.text).toContain('1 added, 0 changed, 2 removed.');
    const back = await imported(contentOf(replaced));
    expect(back.text).toContain('2 added, 0 changed, 1 removed.');
    const again = await replyTo(olga.command('dictionary export', { format: 'tsv' }));
    expect(contentOf(again)).toBe(kept);
  });
});

async function block(words: string): Promise<void> {
  const page = await settingsPage(olga, 'words');
  const modal = await (await olga.presses(page, 'settings-form:blockedWords blockedWords')).modal();
  const filled = await replyTo(olga.submits(modal, { blockedWords: words }));
  await replyTo(olga.selects(filled, 'settings-pick:blockedWordsMode', ['reject the text']));
}

describe('blocked words', () => {
  it('are refused to their writer alone, and nothing is heard or paid', async () => {
    await block('darn');
    const writer = newGuest(scene.world, 'General');
    const before = scene.world.channel('general').messages.length;
    const refused = await replyTo(writer.types('/say text:Well, d.a.r.n it!'));
    expect(refused.ephemeral).toBe(true);
    expect(refused.text).toContain('This text wasn’t spoken: the server blocks “darn”');
    expect(scene.world.channel('general').messages.length).toBe(before);
  });

  it('are no spoken forms either, of one word or among those of a file', async () => {
    await imported('kept\tstays');
    await block('darn');
    const refused = '“gosh” can’t be spoken as “d.a.r.n it”: the server blocks a word in that.';
    expect(await textOf(add({ from: 'gosh', to: 'd.a.r.n it' }))).toContain(refused);
    const file = await imported('gif\tjif\nsql\tsequel\ngosh\td.a.r.n it\n');
    expect(file.text).toContain('nothing was changed');
    expect(file.text).toContain(refused);
    expect(file.text).not.toContain('jif');
    // As long as a reply may be, also where each sign is shown with a backslash.
    const many = Array.from({ length: 12 }, (_, index) => `${index}${'_a'.repeat(45)}\tdarn ${'*'.repeat(180)}\n`);
    expect((await imported(many.join(''))).text).toContain('and 2 more.');
    expect(await textOf(olga.types('/dictionary list'))).toContain('1 word');
  });
});

it('the moderation log tells the requester and the kind of each text, and never the text', async () => {
  const log = scene.world.newChannel('mod-log', 'text');
  const page = await settingsPage(olga, 'presence');
  const chosen = await textOf(olga.selects(page, 'Moderation log', ['mod-log']), /mod-log/);
  expect(chosen).toContain('⚠️ Everyone in this server can see #mod-log, so everyone can read the moderation log.');

  const speaker = scene.world.newMember('talker');
  speaker.joins('General');
  const words = 'These words are for nobody to read.';
  const message = speaker.says('Those were for nobody either.');
  await replyTo(speaker.command('say', { text: words }), /Spoken/);
  await replyTo(speaker.command('say', { text: words, as: 'file' }), /With/);
  await replyTo(speaker.usesOnMessage('Read aloud', message), /Spoken/);
  const lines = () => log.messages.flatMap((message) => message.lines);
  await expect.poll(() => lines().join('\n')).toMatch(/: message/);
  const told = lines();
  expect(told).toHaveLength(3);
  for (const line of told) expect(line).toContain('@Talker: ');
  expect(told[0]).toMatch(/command, 35 characters, aria, in .*General: spoken, \d+ credits?$/);
  expect(told[1]).toMatch(/file, 35 characters, aria, in .*general: saved, no credits$/);
  expect(told[2]).toContain(': message, 29 characters');
  expect(log.messages.map(({ text }) => text).join('\n')).not.toContain('nobody');
  expect(log.messages.every(({ silent }) => silent)).toBe(true);
});
