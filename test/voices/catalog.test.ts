import { expect, test } from 'vitest';
import { COMMON_LANGUAGES, languageOfTag } from '../../src/speech/interface/languages.ts';
import { voiceFile } from '../../src/speech-service/synthesis/neural/installed-voices.ts';
import { CATALOG, release } from '../../src/voices/catalog.ts';

test.each(CATALOG.map((model) => [model.name, model] as const))(
  '%s can be installed',
  (_, { archive, megabytes, ...model }) => {
    expect(voiceFile.safeParse({ version: 1, ...model }).error).toBe(undefined);
    expect(URL.canParse(`${release()}/${archive}.tar.bz2`)).toBe(true);
    expect(URL.canParse(model.source)).toBe(true);
    expect(megabytes).toBeGreaterThan(0);
    for (const named of [CATALOG, model.voices]) expect(new Set(named.map(({ name }) => name)).size).toBe(named.length);
  },
);

test('there is a model for every language of the menus that the release has one for', () => {
  const spoken = new Set(
    CATALOG.flatMap(({ voices }) => voices.flatMap(({ languages }) => languages.map(languageOfTag))),
  );
  expect(COMMON_LANGUAGES.filter((language) => !spoken.has(language))).toEqual(['he', 'ja']);
});
