import type { Person } from '../../src/playground/people/person.ts';

/** A suggestion as the person picks it. */
export async function pick(person: Person, typed: string): Promise<{ id: string; label: string; name: string }> {
  const [choice] = await person.autocompletes('voice set', { voice: typed });
  if (!choice) throw new Error(`Nothing is offered for ${typed}`);
  // The suggestion may name the language after the name and the sound.
  const [name = '', sound] = choice.name.split(' · ');
  return { id: String(choice.value), label: [name, sound].join(' · '), name };
}
