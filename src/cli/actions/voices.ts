import { canonicalModelId } from '../../speech/interface/models.ts';
import type { Voice } from '../../speech/interface/schemas.ts';
import { takesStyle } from '../../speech/request.ts';
import { languageNamed, voicesThatSpeak } from '../../speech/voice-languages.ts';
import { rankVoices } from '../../speech/voice-search.ts';
import { type ConnectionFlags, withSession } from '../config/session.ts';
import { interruptible } from '../terminal/interrupt.ts';
import { type Column, printTable } from '../terminal/table.ts';
import { counted, note, print } from '../terminal/terminal.ts';

interface VoicesFlags extends ConnectionFlags {
  readonly model?: string;
  readonly language?: string;
  readonly search?: string;
  readonly json?: boolean;
}

const COLUMNS: readonly Column<Voice>[] = [
  { heading: 'NAME', cell: (voice) => voice.name, narrow: 8 },
  { heading: 'MODEL', cell: (voice) => voice.model, narrow: 6 },
  { heading: 'LANGUAGE', cell: (voice) => voice.language, narrow: 8 },
  { heading: 'FORMATS', cell: (voice) => voice.formats.join(','), narrow: 7 },
  { heading: 'STYLE', cell: (voice) => (takesStyle(voice) ? 'yes' : 'no') },
  { heading: 'VOICE ID', cell: (voice) => voice.id, narrow: 'below' },
];

/** Lists voices: a table for people, JSON for programs. */
export function listVoices(flags: VoicesFlags): Promise<void> {
  return interruptible(({ signal }) =>
    withSession(flags, async ({ client }) => {
      const found = selectVoices((await client.voices({ signal })).voices, flags);
      if (flags.json) return print(JSON.stringify(found, null, 2));
      if (found.length === 0) return note('No voice fits.');
      printTable(found, COLUMNS);
      if (process.stderr.isTTY) note(counted(found.length, 'voice'));
    }),
  );
}

/** The voices that fit all filters; the best match of a search first. */
export function selectVoices(all: readonly Voice[], { model, language, search }: VoicesFlags): readonly Voice[] {
  const wantedModel = model === undefined ? undefined : canonicalModelId(model).toLowerCase();
  const speaking = language === undefined ? all : voicesNamed(language, all);
  const fitting = speaking.filter((voice) => wantedModel === undefined || voice.model.toLowerCase() === wantedModel);
  return search === undefined ? fitting : rankVoices(search, fitting, { limit: fitting.length });
}

/** By a code, a name or a label, as the bot understands them: voices of any language count as well. */
function voicesNamed(language: string, voices: readonly Voice[]): readonly Voice[] {
  const labels = [...new Set(voices.map((voice) => voice.language))];
  const named = languageNamed(language, labels, 'en');
  return named === undefined ? [] : voicesThatSpeak(named, voices);
}
