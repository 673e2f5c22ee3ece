import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { languages, plainName } from '../../../speech/engines/engines-file.ts';

/* `npm run voices -- add NAME` makes a folder for each voice in DATA_DIR/voices, with its model and `voice.json`. */

export const VOICES_FOLDER = 'voices';
export const VOICE_FILE = 'voice.json';

/** The files of a neural voice never lie outside of its folder, so other paths are rejected. */
const path = z
  .string('must be text')
  .regex(/^[^/\\:,]+(\/[^/\\:,]+)*$/, 'must be a path in the folder')
  .refine((value) => value.split('/').every((part) => part !== '.' && part !== '..'), 'must be a path in the folder');

const speaker = z.strictObject({
  name: plainName,
  speaker: z.int('must be a whole number').min(0, 'must be at least 0'),
  gender: z.enum(['female', 'male'], 'must be female or male').optional(),
  accent: z.string('must be text').optional(),
  /** The languages of a neural voice (BCP 47); its accent belongs to the first one. */
  languages,
});

/** The files of a neural model, named as in the runtime's configuration (`OfflineTts` of sherpa-onnx-node). */
const files = z.strictObject({
  model: path,
  tokens: path,
  voices: path.optional(),
  dataDir: path.optional(),
  /** The runtime takes `lexicon`, and also `ruleFsts`, as paths joined with commas, so no path may contain a comma. */
  lexicon: z.array(path).optional(),
  ruleFsts: z.array(path).optional(),
});

export const voiceFile = z.strictObject({
  version: z.literal(1, 'must be 1'),
  name: plainName,
  kind: z.enum(['vits', 'kokoro', 'kitten'], 'must be vits, kokoro or kitten'),
  files,
  /** An estimate, shown to the operator, of the memory in megabytes that the loaded neural model takes. */
  memoryMb: z.int('must be a whole number').min(1, 'must be at least 1'),
  license: z.string('must be text'),
  source: z.string('must be text'),
  voices: z.array(speaker, 'must be a list').min(1, 'must name at least one voice'),
});

export type VoiceFile = z.infer<typeof voiceFile>;

/** The paths of an installed model's `files` include its folder. */
export type InstalledVoice = VoiceFile & { readonly folder: string };

export function installedVoices(dataDir: string): { voices: InstalledVoice[]; problems: string[] } {
  const voices: InstalledVoice[] = [];
  const problems: string[] = [];
  const parent = join(dataDir, VOICES_FOLDER);
  let names: string[] = [];
  try {
    // A folder whose name begins with a dot belongs to a download, a removal or the unpacked runtime.
    names = readdirSync(parent, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
      .map((entry) => entry.name)
      .sort();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT') problems.push(`${parent} cannot be read (${code})`);
  }
  for (const name of names) {
    const folder = join(parent, name);
    const read = readVoice(folder, name);
    if ('problem' in read) problems.push(`${folder}: ${read.problem}`);
    else voices.push(read);
  }
  return { voices, problems };
}

/** Returns a problem if the folder has no usable neural voice, or if its voice is not called `name`. */
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
  const at = (file: string) => join(folder, file);
  const paths = Object.entries(data.files).map(([key, file]) => [
    key,
    typeof file === 'string' ? at(file) : file.map(at),
  ]);
  return { ...data, folder, files: Object.fromEntries(paths) as VoiceFile['files'] };
}
