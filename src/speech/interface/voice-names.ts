import { modelRules } from './models.ts';
import type { Voice } from './schemas.ts';

/**
 * Leaves the first of the voices that share a name and sound alike. Voices whose service says nothing about their sound
 * all stay, and so do voices of engines: a shared name need not mean the same person.
 */
export function oneOfEachName(voices: readonly Voice[]): Voice[] {
  const known = new Set<string>();
  return voices.filter(({ name, model, language, gender, accent }) => {
    if (gender === undefined && accent === undefined) return true;
    const engine = modelRules(model).known ? '' : model;
    // An accent says which language it belongs to.
    return known.size < known.add([name, gender, accent ?? language, engine].join('\n')).size;
  });
}

/** The voices that have the name of an earlier voice of the list: people see them with their model. */
export function variantsIn(voices: readonly Voice[]): ReadonlySet<Voice> {
  const names = new Set<string>();
  return new Set(voices.filter(({ name }) => names.size === names.add(name).size));
}

/** How a voice sounds, in English: 'female, American'. Empty if its service does not say. */
export const soundOf = ({ gender, accent }: Voice): string => [gender ?? [], accent ?? []].flat().join(', ');

export const nameWithModel = ({ name, model }: Pick<Voice, 'name' | 'model'>): string => `${name} (${model})`;
