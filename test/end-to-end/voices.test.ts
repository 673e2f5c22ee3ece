import { describe, expect, it } from 'vitest';
import type { Person } from '../../src/playground/world/world.ts';
import { newGuest, pick, sceneOfFile, textOf } from './scene.ts';

const scene = await sceneOfFile();
const somebody = () => newGuest(scene.world);

describe('/voices', () => {
  it('lets a voice be heard, for money once, and kept as one’s own', async () => {
    const [ann, ben] = [somebody(), somebody()];
    const list = await (await ann.types('/voices search:ext')).reply();
    const menu = list.menus.find(({ customId }) => customId === 'voice-card');
    const [voice] = menu?.options ?? [];
    if (!voice) throw new Error('No voice to choose');
    const card = await (await ann.selects(list, 'voice-card', [voice.value])).reply();
    expect(card.text).toContain('**aria** · female, American\nSpeaks 58 languages\nOptions: speed and tags');
    expect(card.buttons.map(({ label }) => label)).toEqual([
      expect.stringMatching(/^Listen \((53 characters billed|about \d+ credits)\)$/),
      'Use as my voice',
    ]);

    const heard = await ann.presses(card, card.buttons[0]?.label ?? '');
    const facts = await heard.reply({ until: /That was/ });
    expect(facts.text).toMatch(/credits? used/);
    const sample = heard.replies.find(({ voiceMessage }) => voiceMessage);
    expect(sample?.ephemeral).toBe(true);
    expect(sample?.files[0]?.durationSeconds).toBeGreaterThan(1);
    const again = await textOf(ben.presses(await cardFor(ben, voice.value), 'Listen'), /That was/);
    expect(again).toContain('no credits used');

    const kept = await (await ann.presses(card, 'Use as my voice')).reply();
    expect(kept.text).toContain('Your voice in this server is now aria · female, American');
  });

  it('lets only managers of the server make one the default', async () => {
    const [ann, olga] = [somebody(), scene.world.member('olga')];
    const { id, name } = await pick(olga, 'gpro');
    const makesDefault = (person: Person) => textOf(person.forges({ customId: `voice-default:${id}` }));
    expect(await makesDefault(ann)).toBe('You need the Manage Server permission to do that.');
    expect(await makesDefault(olga)).toContain(`Default voice: now ${name}`);
  });

  async function cardFor(who: Person, voiceId: string) {
    const list = await (await who.types('/voices search:ext')).reply();
    return (await who.selects(list, 'voice-card', [voiceId])).reply();
  }
});

it('/tags lists the tags of the voice', async () => {
  const ann = somebody();
  const choices = await ann.autocompletes('tags', { voice: 'ext' });
  const list = await (await ann.command('tags', { voice: String(choices[0]?.value) })).reply();
  expect(list.text).toContain('[long-pause]');
  expect(list.text).toContain('<whisper>…</whisper>');
});
