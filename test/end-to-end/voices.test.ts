import { describe, expect, it } from 'vitest';
import type { Person } from '../../src/playground/world/world.ts';
import { newGuest, pick, replyTo, sceneOfFile, textOf } from './scene.ts';

const scene = await sceneOfFile();
const somebody = () => newGuest(scene.world);

async function cardFor(who: Person, voiceId: string) {
  const list = await replyTo(who.types('/voices search:ext'));
  return replyTo(who.selects(list, 'voice-card', [voiceId]));
}

describe('/voices', () => {
  it('lets a voice be heard, for money once, and kept as one’s own', async () => {
    const [ann, ben] = [somebody(), somebody()];
    const { id } = await pick(ann, 'ext');
    const card = await cardFor(ann, id);
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
    const again = await textOf(ben.presses(await cardFor(ben, id), 'Listen'), /That was/);
    expect(again).toContain('no credits used');

    const kept = await textOf(ann.presses(card, 'Use as my voice'));
    expect(kept).toContain('Your voice in this server is now aria · female, American');
  });

  it('lets only managers of the server make one the default', async () => {
    const [ann, olga] = [somebody(), scene.world.member('olga')];
    const { id, name } = await pick(olga, 'gpro');
    const makesDefault = (person: Person) => textOf(person.forges({ customId: `voice-default:${id}` }));
    expect(await makesDefault(ann)).toBe('You need the Manage Server permission to do that.');
    expect(await makesDefault(olga)).toContain(`Default voice: now ${name}`);
  });
});

it('/tags lists the tags of the voice', async () => {
  const ann = somebody();
  const { id } = await pick(ann, 'ext');
  const list = await textOf(ann.command('tags', { voice: id }));
  expect(list).toContain('[long-pause]');
  expect(list).toContain('<whisper>…</whisper>');
});
