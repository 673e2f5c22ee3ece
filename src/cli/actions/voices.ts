import { languageLabel, languageNamed, voicesThatSpeak } from '../../speech/interface/languages.ts';
import { canonicalModelId } from '../../speech/interface/models.ts';
import { oneOfEachName, soundOf, takesStyle, type Voice } from '../../speech/interface/schemas.ts';
import { rankVoices } from '../../speech/voice-search.ts';
import { asked, type ConnectionFlags } from '../config/session.ts';
import { mustHaveVoices } from '../speech/voice-match.ts';
import { type Column, printTable } from '../terminal/table.ts';
import { counted, json, note, plain, print, usageError } from '../terminal/terminal.ts';

interface VoiceFilters {
  readonly model?: string;
  readonly language?: string;
  readonly search?: string;
}

const NAME: Column<Voice> = { heading: 'NAME', cell: (voice) => voice.name };
const SOUND: Column<Voice> = { heading: 'SOUND', cell: soundOf };
const COLUMNS: readonly Column<Voice>[] = [
  { heading: 'LANGUAGE', cell: (voice) => voice.language },
  { heading: 'FORMATS', cell: (voice) => voice.formats.join(',') },
  { heading: 'STYLE', cell: (voice) => (takesStyle(voice) ? 'yes' : 'no') },
];

const ID: Column<Voice> = { heading: 'VOICE ID', cell: (voice) => voice.id, place: 'below' };

export function listVoices(flags: ConnectionFlags & VoiceFilters & { json: boolean }): Promise<void> {
  return asked(flags, async (client, signal) => {
    const { voices } = await client.voices({ signal });
    mustHaveVoices(voices);
    const found = selectVoices(voices, flags);
    if (flags.json) return print(json(found, 2));
    if (found.length === 0) return note(noneOf(voices, flags));
    printVoices(found);
  });
}

function printVoices(found: readonly Voice[]): void {
  const rows = oneOfEachName(found);
  const sounds = found.some((voice) => soundOf(voice) !== '') ? [SOUND] : [];
  const alike = (row: Voice) => found.filter((one) => one === row || oneOfEachName([row, one]).length === 1);
  const models = (row: Voice) => alike(row).map(({ model }) => model);
  printTable(rows, [NAME, ...sounds, { heading: 'MODEL', cell: (row) => models(row).join(',') }, ...COLUMNS, ID]);
  if (!process.stderr.isTTY) return;
  note(counted(rows.length, 'voice'));
  const [other] = rows.flatMap((row) => models(row).slice(1));
  if (other !== undefined) {
    note(`Formats, style and id belong to the first model. voice voices --model ${plain(other)} lists another.`);
  }
}

/** Throws for an unknown model or language. */
export function selectVoices(all: readonly Voice[], { model, language, search }: VoiceFilters): readonly Voice[] {
  const speaking = language === undefined ? all : voicesThatSpeak(namedLanguage(language, all), all);
  const fitting = model === undefined ? speaking : ofModel(model, speaking, all);
  return search === undefined ? fitting : rankVoices(search, fitting);
}

function ofModel(model: string, voices: readonly Voice[], all: readonly Voice[]): readonly Voice[] {
  const wanted = canonicalModelId(model).toLowerCase();
  const models = [...new Set(all.map((voice) => voice.model))];
  if (!models.some((one) => one.toLowerCase() === wanted)) {
    throw usageError(`No voice has a model "${plain(model)}".`, `The models are ${plain(models.join(', '))}.`);
  }
  return voices.filter((voice) => voice.model.toLowerCase() === wanted);
}

/** Returns the language with this name or code. Throws an error that lists the voices' languages if there is none. */
function namedLanguage(language: string, voices: readonly Voice[]): string {
  const named = languageNamed(language, [...new Set(voices.map((voice) => voice.language))], 'en');
  if (named !== undefined) return named;
  const spoken = voices.flatMap((voice) => voice.languages ?? [voice.language]);
  const names = [...new Set(spoken.map((one) => languageLabel(one, 'en')))].sort();
  throw usageError(
    `"${plain(language)}" is not a language.`,
    `Give its name or its code, such as German or de. The voices speak ${plain(names.join(', '))}.`,
  );
}

function noneOf(voices: readonly Voice[], { language }: VoiceFilters): string {
  if (language === undefined || selectVoices(voices, { language }).length > 0) return 'No voice fits.';
  return `No voice speaks ${plain(languageLabel(namedLanguage(language, voices), 'en'))}.`;
}
