import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Person } from '../../src/playground/people/person.ts';
import type { WorldServer } from '../../src/playground/world/world-server.ts';
import { type Sound, speechSpan } from './measure.ts';
import { pick } from './pick.ts';
import { choose } from './reading.ts';
import { expectSameSound, soundOf } from './same-speech.ts';
import { openScene, type Scene } from './scene.ts';

const ANSWERED = { timeoutMs: 15_000 };

let scene: Scene;
beforeAll(async () => {
  scene = await openScene();
});
afterAll(() => scene.close());

async function answer(person: Person, line: string, options?: Readonly<Record<string, string | number>>) {
  const sent = options ? await person.command(line, options) : await person.types(line);
  return sent.reply(ANSWERED);
}

describe('/voice, in a server', () => {
  let server: WorldServer;
  beforeEach(() => {
    server = scene.world.newServer('Next door');
  });

  it('a member’s kept choice is heard, and an option of /say overrides it', async () => {
    const alice = server.member('alice');
    alice.joins('General');
    const ext = await pick(alice, 'ext');
    const text = 'This sentence is long enough to tell how fast it is being spoken.';

    const kept = await answer(alice, 'voice set', { voice: ext.id, speed: 1.5 });
    expect(kept.ephemeral).toBe(true);
    expect(kept.text.split('\n')).toEqual(['Saved for this server:', `- voice: ${ext.label}`, '- speed: 1.5']);
    const reply = await answer(alice, `/say text:${text}`);
    expect(reply.text).toContain(`with ${ext.label}: `);
    expect(reply.text).not.toContain('ignores');
    const fast = speechSpan(soundOf(await alice.listener.utterance(ANSWERED))).seconds;
    const normal = speechSpan(await scene.said(text, ext.id)).seconds;
    expect(fast / normal).toBeGreaterThan(0.55);
    expect(fast / normal).toBeLessThan(0.8);

    alice.listener.clear();
    await answer(alice, `/say text:${text} speed:1`);
    const asked = speechSpan(soundOf(await alice.listener.utterance(ANSWERED))).seconds;
    expect(asked / normal).toBeGreaterThan(0.95);
  });

  it('members without a voice have one of their own where admins want that, also after a restart', async () => {
    await choose(scene, { giveOwnVoices: true }, { server, admin: server.member('olga') });
    const members = [server.member('alice'), ...['ann', 'ben', 'cem', 'dan'].map((name) => server.newMember(name))];
    const given = async () => {
      const shown = await Promise.all(members.map((member) => answer(member, '/voice show')));
      return shown.map(({ text }) => /(?<=^- voice: ).* \(given to you in this server\)$/m.exec(text)?.[0]);
    };
    const voices = await given();
    expect(voices).not.toContain(undefined);
    expect(new Set(voices).size).toBeGreaterThan(1);
    await scene.restartBot();
    expect(await given()).toEqual(voices);
    const [alice] = members as [Person];
    alice.joins('General');
    const spoken = await answer(alice, '/say text:Hello.');
    expect(spoken.text).toContain(`with ${voices[0]?.replace(' (given to you in this server)', '')}: `);
  });

  it('a kept voice that vanished is passed over for the next in line, and the reply says so', async () => {
    const [alice, olga] = [server.member('alice'), server.member('olga')];
    alice.joins('General');
    const [ext, orpheus] = [await pick(alice, 'ext'), await pick(alice, 'orpheus')];
    await (await olga.forges({ customId: `voice-default:${orpheus.id}` })).reply(ANSWERED);
    await answer(alice, 'voice set', { voice: ext.id });
    const database = new DatabaseSync(join(scene.dataDir, 'crier.sqlite'));
    const { changes } = database
      .prepare(
        `UPDATE entries SET value = replace(value, ?, 'gone') WHERE namespace = 'member-settings' AND key LIKE ?`,
      )
      .run(ext.id, `%${server.guildId}%`);
    expect(changes).toBe(1);

    const reply = await answer(alice, '/say text:Who speaks now?');
    expect(reply.text).toContain(`with ${orpheus.label}: `);
    expect(reply.text).toContain(
      `Your voice, ${ext.name}, no longer exists, so another one was used. Pick a new one with /voice set.`,
    );
    const shown = await answer(alice, '/voice show');
    expect(shown.text).toContain(`- voice: ${orpheus.label} (server default)`);
    expect(shown.text).toContain(`The selected voice, ${ext.name}, no longer exists (your setting for this server).`);

    database.prepare(`UPDATE entries SET value = replace(value, ?, 'gone')`).run(orpheus.id);
    database.close();
    // A look at the settings reads them anew.
    await answer(olga, '/settings panel');
    expect((await answer(alice, '/say text:And who now?')).text).toContain(
      `This server’s default voice, ${orpheus.name}, no longer exists, so the bot’s default was used. Server managers choose another one`,
    );
  });
});

describe('voices by language', () => {
  it('a text is spoken by the voice for its language: one’s own before the server’s', async () => {
    const server = scene.world.newServer('Many tongues');
    const [alice, olga] = [server.member('alice'), server.member('olga')];
    alice.joins('General');
    const [usual, german, spanish] = [
      await pick(alice, 'gpro31'),
      await pick(alice, 'ext'),
      await pick(alice, 'gpro38'),
    ];
    await answer(alice, 'voice set', { voice: usual.id });
    const saved = await answer(alice, 'voice set', { voice: german.id, language: 'de' });
    expect(saved.text.split('\n')).toEqual(['Saved for all servers:', `- voices by language: German: ${german.label}`]);
    const [, name = '', model = ''] = /^(.+) \((.+)\)$/.exec(spanish.name) ?? [];
    await choose(scene, { languageVoices: [{ language: 'es', voiceId: spanish.id, name, model }] }, { server });
    expect((await answer(alice, '/say text:Guten Morgen zusammen')).text).toContain(`with ${german.label}: `);
    expect((await answer(alice, '/say text:Good morning everyone')).text).toContain(`with ${usual.label}: `);
    olga.joins('General');
    expect((await answer(olga, '/say text:Hola, cómo estás')).text).toContain(`with ${spanish.label}: `);
    // One's own voice precedes the server's for a language.
    expect((await answer(alice, '/say text:Hola, cómo estás')).text).toContain(`with ${usual.label}: `);
    expect((await answer(alice, '/say text:Good morning language:de')).text).toContain(`with ${german.label}: `);

    const reset = await answer(alice, 'voice reset', { what: 'languageVoices' });
    expect(reset.text).toContain(`- voices by language: none (was German: ${german.label})`);
    expect((await answer(alice, '/say text:Guten Morgen zusammen')).text).toContain(`with ${usual.label}: `);
  });

  it('a text is pronounced in the language that was named, or that its writer set, and no other', async () => {
    const server = scene.world.newServer('One word');
    // The language that somebody writes in holds in all servers.
    const alice = server.newMember('writer');
    alice.joins('General');
    const usual = await pick(alice, 'gpro31');
    await answer(alice, 'voice set', { voice: usual.id });
    const heard = async (line: string) => {
      alice.listener.clear();
      expect((await answer(alice, line)).text).toContain(`with ${usual.label}: `);
      return soundOf(await alice.listener.utterance(ANSWERED));
    };
    const word = 'General hotel';
    const [english, spanish, german] = await Promise.all(
      [undefined, 'es', 'de'].map((language) => scene.said(word, usual.id, language)),
    );
    expectSameSound(await heard(`/say text:${word}`), english as Sound);
    expectSameSound(await heard(`/say text:${word} language:es`), spanish as Sound);
    await answer(alice, 'voice set', { language: 'de' });
    expectSameSound(await heard(`/say text:${word}`), german as Sound);
    // What is plainly in another language is spoken in that.
    const sentence = 'The music is far too loud for all of us.';
    expectSameSound(await heard(`/say text:${sentence}`), await scene.said(sentence, usual.id, 'en'));

    const bob = server.newMember('another writer');
    bob.joins('General');
    const ivy = await pick(bob, 'orpheus');
    const foreign = `-# ${ivy.name} doesn’t speak Spanish.`;
    expect((await answer(bob, 'say', { text: word, voice: ivy.id, language: 'es' })).text).toContain(
      `${foreign} Choose another voice, or leave out the language option.`,
    );
    expect((await answer(bob, 'voice set', { voice: ivy.id, language: 'es' })).text).toContain(foreign);
    await answer(bob, 'voice set', { language: 'de' });
    // The bot's words in a text follow it, too.
    const linked = await answer(bob, '/say text:Gestern um drei https://example.org');
    expect(linked.text).toContain('Link zu example.org');
  });

  it('Chinese characters alone are Japanese to one who uses Discord in Japanese, and Chinese to others', async () => {
    const server = scene.world.newServer('Kanji');
    const [hana, alice] = [server.newMember('hana'), server.newMember('reader')];
    hana.setsLanguage('ja');
    hana.joins('General');
    const text = '東京都知事選挙';
    for (const [person, language] of [
      [hana, 'ja'],
      [alice, undefined],
    ] as const) {
      hana.listener.clear();
      expect((await answer(person, `/say text:${text} channel:General`)).text).toContain('Spoken in');
      expectSameSound(soundOf(await hana.listener.utterance(ANSWERED)), await scene.said(text, undefined, language));
    }
  });

  it('a reply says that a voice which was named or forced does not speak the text’s language, where another one does', async () => {
    const server = scene.world.newServer('Wrong tongue');
    const [alice, olga] = [server.member('alice'), server.member('olga')];
    alice.joins('General');
    const ivy = await pick(alice, 'orpheus');
    const german = 'Guten Morgen zusammen, wie geht es euch heute?';
    const foreign = `\n-# ${ivy.name} doesn’t speak German.`;
    const said = async (text: string, voice = {}) => (await answer(alice, 'say', { text, ...voice })).text;
    expect(await said(german, { voice: ivy.id })).toContain(foreign);
    expect(await said('Good morning, how are you all today?', { voice: ivy.id })).not.toContain('doesn’t speak');
    // One's own choice for all texts is no news at each of them.
    await answer(alice, 'voice set', { voice: ivy.id });
    expect(await said(german)).not.toContain('doesn’t speak');

    const panel = await answer(olga, '/settings panel');
    const form = await (await olga.presses(panel, 'settings-form:forcedVoice forcedVoice')).modal(ANSWERED);
    await (await olga.submits(form, { forcedVoice: ivy.id })).reply({ ...ANSWERED, until: /Force one voice: now/ });
    const forced = 'Heute ist das Wetter wirklich schön bei uns.';
    expect(await said(forced)).toContain(foreign);
    const models = await olga.selects(panel, 'Allowed models', ['orpheus']);
    await models.reply({ ...ANSWERED, until: /Allowed models: now/ });
    expect(await said(`${forced} Sehr schön.`)).not.toContain('doesn’t speak');
  });
});

describe('/voice name', () => {
  it('is kept, and is said wherever the bot says the name', async () => {
    const server = scene.world.newServer('Names');
    const alice = server.member('alice');
    alice.joins('General');
    const saidNow = async () => {
      alice.listener.clear();
      await answer(alice, `/say text:<@${alice.id}> is here today`);
      return soundOf(await alice.listener.utterance(ANSWERED));
    };
    expectSameSound(await saidNow(), await scene.said('Alice is here today'));
    const kept = await answer(alice, 'voice name', { name: 'Shivawn' });
    expect(kept.text).toBe('Saved for this server: the bot says your name as “Shivawn”.');
    expectSameSound(await saidNow(), await scene.said('Shivawn is here today'));
    expect((await answer(alice, '/voice show')).text).toContain('- name, as it’s spoken: Shivawn');

    expect((await answer(alice, 'voice reset', { what: 'spokenName' })).text).toContain(
      '- spoken name: none (was “Shivawn”)',
    );
  });

  it('has the names of members whom it mentions', async () => {
    const server = scene.world.newServer('Names of others');
    const [alice, bob] = [server.member('alice'), server.member('bob')];
    const asked = async (name: string) => (await answer(alice, 'voice name', { name })).text;
    expect(await asked(`<@${alice.id}>`)).toContain('says your name as “Alice”.');
    expect(await asked(`Pal of <@${bob.id}>`)).toContain('says your name as “Pal of Bob”.');
    expect(await asked(`Ann <@&${'1'.repeat(18)}>`)).toContain('says your name as “Ann”.');
    expect(await asked(`<@${'1'.repeat(18)}>`)).toContain('There’s nothing to say in “\\<@');
  });

  it('is shown and kept as it will be said, without emoji and decoration', async () => {
    const alice = scene.world.newServer('Plain names').member('alice');
    const asked = await answer(alice, 'voice name', { name: '✨ **Ali** 🔥 ✨' });
    expect(asked.text).toContain('says your name as “Ali”.');
    expect((await answer(alice, '/voice show')).text).toContain('- name, as it’s spoken: Ali');
  });

  it('is refused where the server blocks it, and where there is nothing to say', async () => {
    const server = scene.world.newServer('Blocked names');
    const alice = server.member('alice');
    await choose(scene, { blockedWords: ['rude'], blockedWordsMode: 'bleep' }, { server });
    expect((await answer(alice, 'voice name', { name: 'Rude Boy' })).text).toContain('blocks a word in it');
    expect((await answer(alice, 'voice name', { name: '...' })).text).toContain('nothing to say');
  });
});

describe('/voice, from member to member', () => {
  it('shows where each value comes from, and reset goes back step by step', async () => {
    const carol = scene.world.newMember('carol');
    const [aria, orpheus] = [await pick(carol, 'gpro31'), await pick(carol, 'orpheus')];
    await answer(carol, 'voice set', { voice: orpheus.id, where: 'everywhere', style: 'calm' });
    const set = await answer(carol, 'voice set', { voice: aria.id, style: 'in a *whisper*', temperature: 0 });
    expect(set.text).toContain('- style: “in a \\*whisper\\*”');

    expect((await answer(carol, '/voice show')).text.split('\n')).toEqual([
      'Your voice settings in this server:',
      `- voice: ${aria.label} (your setting for this server)`,
      '- style: “in a \\*whisper\\*”, billed as 18 characters with every text (your setting for this server)',
      '- speed: none (the voice’s default)',
      '- temperature: 0 (your setting for this server)',
      '-# Change them with /voice set, reset them with /voice reset. The options of /say take priority.',
    ]);

    const again = await answer(carol, 'voice set', { voice: aria.id, where: 'everywhere' });
    expect(again.text.split('\n')).toEqual([
      'Saved for all servers:',
      `- voice: ${aria.label} (was ${orpheus.label})`,
      '-# Your settings for this server take priority here: voice. Use /voice reset to remove them.',
    ]);

    expect((await answer(carol, 'voice reset', { what: 'style' })).text.split('\n')).toEqual([
      'Reset for this server:',
      '- style: was “in a \\*whisper\\*”, now “calm” (your setting for all servers)',
    ]);
    const here = await answer(carol, '/voice reset');
    expect(here.text).toContain(`- voice: was ${aria.label}, now ${aria.label} (your setting for all servers)`);
    expect(here.text).toContain('- temperature: was 0, now none (the voice’s default)');
    const everywhere = await answer(carol, 'voice reset', { where: 'everywhere' });
    expect(everywhere.text).toContain('(bot default)');
    expect((await answer(carol, 'voice reset', { where: 'everywhere' })).text).toBe(
      'You have nothing to reset for all servers.',
    );
  });
});
