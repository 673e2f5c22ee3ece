import type { Person } from '../../src/playground/people/person.ts';

/** A suggestion as the person picks it. */
export async function pick(person: Person, typed: string): Promise<{ id: string; label: string }> {
  const [choice] = await person.autocompletes('voice set', { voice: typed });
  if (!choice) throw new Error(`Nothing is offered for ${typed}`);
  // The reply may name the language too.
  return { id: String(choice.value), label: choice.name.split(' · ')[0] ?? '' };
}
