import { modelRules } from './models.ts';
import type { Voice } from './schemas.ts';

/**
 * Keeps one of several voices with the same name, gender and accent. All known models count as one engine. Voices of
 * different engines all stay, because equal names may belong to different people.
 */
export function oneOfEachName(voices: readonly Voice[]): Voice[] {
  const known = new Set<string>();
  return voices.filter(({ name, model, language, gender, accent }) => {
    if (gender === undefined && accent === undefined) return true;
    const engine = modelRules(model).known ? '' : model;
    // An accent such as 'Scottish' implies the language, so only voices without one compare the language.
    return known.size < known.add([name, gender, accent ?? language, engine].join('\n')).size;
  });
}

/** Voices with the name of another voice before them in the list: the bot shows their model beside the name. */
export function variantsIn(voices: readonly Voice[]): ReadonlySet<Voice> {
  const names = new Set<string>();
  return new Set(voices.filter(({ name }) => names.size === names.add(name).size));
}

/** How a voice sounds, in English: 'female, American'. Empty if its service does not say. */
export const soundOf = ({ gender, accent }: Voice): string => [gender ?? [], accent ?? []].flat().join(', ');

export const nameWithModel = ({ name, model }: Pick<Voice, 'name' | 'model'>): string => `${name} (${model})`;
