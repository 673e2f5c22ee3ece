import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { languages, plainName } from '../../../speech/engines/engines-file.ts';

/*
 * Reads the neural voices that `npm run voices -- add NAME` installs in DATA_DIR/voices. Each has a folder of its own
 * with the files of one model and `voice.json`, which says what the model is and who speaks.
 */

export const VOICES_FOLDER = 'voices';
export const VOICE_FILE = 'voice.json';

/** A path inside a neural voice's folder, because the files of a voice never lie elsewhere. */
const path = z
  .string('must be text')
  .regex(/^[^/\\:,]+(\/[^/\\:,]+)*$/, 'must be a path in the folder')
  .refine((value) => value.split('/').every((part) => part !== '.' && part !== '..'), 'must be a path in the folder');

const speaker = z.strictObject({
  name: plainName,
  /** The number of a speaker in the model (`sid`). */
  speaker: z.int('must be a whole number').min(0, 'must be at least 0'),
  /** The gender of the voice; missing if the model's publisher does not state it. */
  gender: z.enum(['female', 'male'], 'must be female or male').optional(),
  accent: z.string('must be text').optional(),
  /** The languages of a neural voice (BCP 47); the first language decides about the accent. */
  languages,
});

/** The files of a model, under the names of the runtime's own configuration (`OfflineTts` of sherpa-onnx-node). */
const files = z.strictObject({
  model: path,
  tokens: path,
  /** The file with the speakers of a Kokoro or Kitten model. */
  voices: path.optional(),
  /** The folder of eSpeak NG's data, which the neural model reads. */
  dataDir: path.optional(),
  /** Lexicon files, which the runtime gets joined with commas, as it does `ruleFsts`. */
  lexicon: z.array(path).optional(),
  ruleFsts: z.array(path).optional(),
});

export const voiceFile = z.strictObject({
  version: z.literal(1, 'must be 1'),
  name: plainName,
  kind: z.enum(['vits', 'kokoro', 'kitten'], 'must be vits, kokoro or kitten'),
  files,
  /** An estimate of the memory that the loaded neural model takes, in megabytes. */
  memoryMb: z.int('must be a whole number').min(1, 'must be at least 1'),
  license: z.string('must be text'),
  /** The web address that documents the neural model. */
  source: z.string('must be text'),
  voices: z.array(speaker, 'must be a list').min(1, 'must name at least one voice'),
});

export type VoiceFile = z.infer<typeof voiceFile>;

/** An installed neural model. The paths of `files` are complete. */
export type InstalledVoice = VoiceFile & { readonly folder: string };

/** Reads every installed neural model. An unusable folder is left out, and `problems` tells why. */
export function installedVoices(dataDir: string): { voices: InstalledVoice[]; problems: string[] } {
  const voices: InstalledVoice[] = [];
  const problems: string[] = [];
  const parent = join(dataDir, VOICES_FOLDER);
  let names: string[] = [];
  try {
    names = foldersIn(parent);
  } catch (error) {
    problems.push(`${parent} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
  for (const name of names) {
    const folder = join(parent, name);
    const read = readVoice(folder, name);
    if ('problem' in read) problems.push(`${folder}: ${read.problem}`);
    else voices.push(read);
  }
  return { voices, problems };
}

/**
 * Lists the folders of neural voices. A name that begins with a dot belongs to a download or a removal that is under
 * way.
 */
function foldersIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .map((entry) => entry.name)
    .sort();
}

/** Reads the neural model in `folder`, which has to be called `name`. */
export function readVoice(folder: string, name: string): InstalledVoice | { readonly problem: string } {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(join(folder, VOICE_FILE), 'utf8'));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why = code === 'ENOENT' ? 'is missing' : code === undefined ? 'is not JSON' : `cannot be read (${code})`;
    return { problem: `${VOICE_FILE} ${why}` };
  }
  const { data, error } = voiceFile.safeParse(content);
  if (!data) {
    const wrong = error.issues.map(({ path, message }) => [path.join('.'), message].filter(Boolean).join(' '));
    return { problem: `${VOICE_FILE}: ${wrong.join('; ')}` };
  }
  if (data.name !== name) return { problem: `${VOICE_FILE} is that of the voice ${data.name}` };
  const missing = Object.values(data.files)
    .flat()
    .filter((file) => !existsSync(join(folder, file)));
  if (missing.length > 0) return { problem: `${missing.join(', ')} missing` };
  return { ...data, folder, files: completed(data.files, folder) };
}

function completed({ model, tokens, voices, dataDir, lexicon, ruleFsts }: VoiceFile['files'], folder: string) {
  const at = (file: string) => join(folder, file);
  return {
    model: at(model),
    tokens: at(tokens),
    voices: voices && at(voices),
    dataDir: dataDir && at(dataDir),
    lexicon: lexicon?.map(at),
    ruleFsts: ruleFsts?.map(at),
  };
}
