import type { Voice } from './schemas.ts';

/**
 * Leaves the first of the voices that share a name and sound alike. Voices whose service says nothing about their sound
 * all stay: a shared name need not mean the same person.
 */
export function oneOfEachName(voices: readonly Voice[]): Voice[] {
  const known = new Set<string>();
  return voices.filter(({ name, language, gender, accent }) => {
    if (gender === undefined && accent === undefined) return true;
    // An accent says which language it belongs to.
    return known.size < known.add([name, gender, accent ?? language].join('\n')).size;
  });
}

/** How a voice sounds, in English: 'female, American'. Empty if its service does not say. */
export const soundOf = ({ gender, accent }: Voice): string => [gender ?? [], accent ?? []].flat().join(', ');

export const nameWithModel = ({ name, model }: Pick<Voice, 'name' | 'model'>): string => `${name} (${model})`;
