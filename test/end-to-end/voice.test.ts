import { describe, expect, it } from 'vitest';
import { speechSpan } from './measure.ts';
import { choose } from './reading.ts';
import { expectSameSound, inDatabase, inVoice, newGuest, pick, replyTo, shareScene, soundOf, textOf } from './scene.ts';

const shared = await shareScene();
const { scene } = shared;

describe('/voice, in a server', () => {
  it('a member’s kept choice is heard, and an option of /say overrides it', async () => {
    const alice = inVoice(shared.server);
    const ext = await pick(alice, 'ext');
    const text = 'This sentence is long enough to tell how fast it is being spoken.';

    const kept = await replyTo(alice.command('voice set', { voice: ext.id, speed: 1.5 }));
    expect(kept.ephemeral).toBe(true);
    expect(kept.text.split('\n')).toEqual(['Saved for this server:', `- voice: ${ext.label}`, '- speed: 1.5']);
    const reply = await replyTo(alice.types(`/say text:${text}`));
    expect(reply.text).toContain(`with ${ext.label}: `);
    expect(reply.text).not.toContain('ignores');
    const fast = speechSpan(soundOf(await alice.listener.utterance())).seconds;
    const normal = speechSpan(await scene.said(text, ext.id)).seconds;
    expect(fast / normal).toBeGreaterThan(0.55);
    expect(fast / normal).toBeLessThan(0.8);

    alice.listener.clear();
    await replyTo(alice.types(`/say text:${text} speed:1`));
    const asked = speechSpan(soundOf(await alice.listener.utterance())).seconds;
    expect(asked / normal).toBeGreaterThan(0.95);
  });

  it('a kept voice that vanished is passed over for the next in line, and the reply says so', async () => {
    const { server } = shared;
    const alice = inVoice(server);
    const [ext, orpheus] = [await pick(alice, 'ext'), await pick(alice, 'orpheus')];
    await replyTo(server.member('olga').forges({ customId: `voice-default:${orpheus.id}` }));
    await replyTo(alice.command('voice set', { voice: ext.id }));
    const gone = `UPDATE entries SET value = replace(value, ?, 'gone') WHERE namespace = 'member-settings' AND key LIKE ?`;
    const { changes } = inDatabase(scene, (database) => database.prepare(gone).run(ext.id, `%${server.guildId}%`));
    expect(changes).toBe(1);

    const reply = await replyTo(alice.types('/say text:Who speaks now?'));
    expect(reply.text).toContain(`with ${orpheus.label}: `);
    expect(reply.text).toContain(
      `Your voice, ${ext.name}, no longer exists, so another one was used. Pick a new one with /voice set.`,
    );
    const shown = await replyTo(alice.types('/voice show'));
    expect(shown.text).toContain(`- voice: ${orpheus.label} (server default)`);
    expect(shown.text).toContain(`The selected voice, ${ext.name}, no longer exists (your setting for this server).`);
  });
});

describe('voices by language', () => {
  it('a text is spoken by the voice for its language: one’s own before the server’s', async () => {
    const { server } = shared;
    const alice = inVoice(server);
    const speakerOf = async (words: string, person = alice) =>
      /with (.+?): /.exec(await textOf(person.types(`/say text:${words}`)))?.[1];
    const [usual, german] = [await pick(alice, 'gpro31'), await pick(alice, 'ext')];
    const spanish = await pick(alice, 'gpro38');
    await replyTo(alice.command('voice set', { voice: usual.id }));
    const saved = await replyTo(alice.command('voice set', { voice: german.id, language: 'de' }));
    expect(saved.text.split('\n')).toEqual(['Saved for all servers:', `- voices by language: German: ${german.label}`]);
    const [, name = '', model = ''] = /^(.+) \((.+)\)$/.exec(spanish.name) ?? [];
    await choose(scene, { languageVoices: [{ language: 'es', voiceId: spanish.id, name, model }] }, { server });
    expect(await speakerOf('Guten Morgen zusammen')).toBe(german.label);
    expect(await speakerOf('Good morning everyone')).toBe(usual.label);
    expect(await speakerOf('Hola, cómo estás', inVoice(server, 'olga'))).toBe(spanish.label);
    // One's own voice precedes the server's for a language.
    expect(await speakerOf('Hola, cómo estás')).toBe(usual.label);
    expect(await speakerOf('Good morning language:de')).toBe(german.label);

    const reset = await textOf(alice.command('voice reset', { what: 'languageVoices' }));
    expect(reset).toContain(`- voices by language: none (was German: ${german.label})`);
    expect(await speakerOf('Guten Morgen zusammen')).toBe(usual.label);
  });

  it('a text is pronounced in the language that was named, or that its writer set, and no other', async () => {
    // The language that somebody writes in holds in all servers.
    const alice = newGuest(shared.server, 'General');
    const usual = await pick(alice, 'gpro31');
    await replyTo(alice.command('voice set', { voice: usual.id }));
    const heard = async (line: string) => {
      alice.listener.clear();
      expect(await textOf(alice.types(line))).toContain(`with ${usual.label}: `);
      return soundOf(await alice.listener.utterance());
    };
    const word = 'General hotel';
    const said = (language?: string) => scene.said(word, usual.id, language);
    expectSameSound(await heard(`/say text:${word}`), await said());
    expectSameSound(await heard(`/say text:${word} language:es`), await said('es'));
    await replyTo(alice.command('voice set', { language: 'de' }));
    expectSameSound(await heard(`/say text:${word}`), await said('de'));
    // What is plainly in another language is spoken in that.
    const sentence = 'The music is far too loud for all of us.';
    expectSameSound(await heard(`/say text:${sentence}`), await scene.said(sentence, usual.id, 'en'));
  });
});

describe('/voice name', () => {
  it('is kept, and is said wherever the bot says the name', async () => {
    const alice = inVoice(shared.server);
    const saidNow = async () => {
      alice.listener.clear();
      await replyTo(alice.types(`/say text:<@${alice.id}> is here today`));
      return soundOf(await alice.listener.utterance());
    };
    expectSameSound(await saidNow(), await scene.said('Alice is here today'));
    const kept = await replyTo(alice.command('voice name', { name: 'Shivawn' }));
    expect(kept.text).toBe('Saved for this server: the bot says your name as “Shivawn”.');
    expectSameSound(await saidNow(), await scene.said('Shivawn is here today'));
    expect(await textOf(alice.types('/voice show'))).toContain('- name, as it’s spoken: Shivawn');
    const reset = await textOf(alice.command('voice reset', { what: 'spokenName' }));
    expect(reset).toContain('- spoken name: none (was “Shivawn”)');
  });

  it('is kept as it will be said, and refused where that is nothing at all, or a word that the server blocks', async () => {
    const { server } = shared;
    const [alice, bob] = [server.member('alice'), server.member('bob')];
    await choose(scene, { blockedWords: ['rude'], blockedWordsMode: 'bleep' }, { server });
    for (const [name, said] of [
      [`Pal of <@${bob.id}>`, 'says your name as “Pal of Bob”.'],
      ['✨ **Ali** 🔥 ✨', 'says your name as “Ali”.'],
      ['Rude Boy', 'blocks a word in it'],
      ['...', 'nothing to say'],
    ] as const) {
      expect(await textOf(alice.command('voice name', { name }))).toContain(said);
    }
  });
});

it('/voice shows each member where each value comes from, and reset goes back step by step', async () => {
  const carol = scene.world.newMember('carol');
  const [aria, orpheus] = [await pick(carol, 'gpro31'), await pick(carol, 'orpheus')];
  await replyTo(carol.command('voice set', { voice: orpheus.id, where: 'everywhere', style: 'calm' }));
  const set = await replyTo(carol.command('voice set', { voice: aria.id, style: 'in a *whisper*', temperature: 0 }));
  expect(set.text).toContain('- style: “in a \\*whisper\\*”');

  expect((await textOf(carol.types('/voice show'))).split('\n')).toEqual([
    'Your voice settings in this server:',
    `- voice: ${aria.label} (your setting for this server)`,
    '- style: “in a \\*whisper\\*”, billed as 18 characters with every text (your setting for this server)',
    '- speed: none (the voice’s default)',
    '- temperature: 0 (your setting for this server)',
    '-# Change them with /voice set, reset them with /voice reset. The options of /say take priority.',
  ]);

  expect((await textOf(carol.command('voice reset', { what: 'style' }))).split('\n')).toEqual([
    'Reset for this server:',
    '- style: was “in a \\*whisper\\*”, now “calm” (your setting for all servers)',
  ]);
  const here = await textOf(carol.types('/voice reset'));
  expect(here).toContain(`- voice: was ${aria.label}, now ${orpheus.label} (your setting for all servers)`);
  expect(here).toContain('- temperature: was 0, now none (the voice’s default)');
  const resetsEverywhere = () => textOf(carol.command('voice reset', { where: 'everywhere' }));
  expect(await resetsEverywhere()).toContain('(bot default)');
  expect(await resetsEverywhere()).toBe('You have nothing to reset for all servers.');
});
