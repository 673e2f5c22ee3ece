import type { Catalogue } from './catalogue.ts';

export const es: Partial<Catalogue> = {
  'language.own-name': 'Español',
};
