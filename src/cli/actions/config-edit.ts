import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { environmentWithoutVoice } from '../../process/child-environment.ts';
import { parseConfig, replaceConfigFile } from '../config/config-file.ts';
import { configFolder, configPath, shownPath } from '../config/paths.ts';
import { agreeOnMovedKeys } from '../config/session.ts';
import type { VoiceConfig } from '../config/settings.ts';
import { failure, InterruptedError } from '../terminal/exit.ts';
import { outlive } from '../terminal/interrupt.ts';
import { note } from '../terminal/terminal.ts';
import { TEMPLATE } from './config.ts';

/** Opens a copy in the editor; it takes the file's place only when it can be read. */
export async function configEdit(): Promise<void> {
  const path = configPath();
  const read = () =>
    readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw failure(`${shownPath(path)} cannot be read (${error.code}).`);
    });
  if ((await read()) === undefined) await replaceConfigFile(undefined, TEMPLATE);
  const text = await read();
  const before = text ?? TEMPLATE;
  const folder = await mkdtemp(join(configFolder(), '.edit-'));
  const copy = join(folder, 'voice.toml');
  await writeFile(copy, before, { mode: 0o600 });
  const tellKept = () => note(`Your changes are kept in ${shownPath(copy)}; ${shownPath(path)} was not changed.`);
  try {
    await runEditor(copy);
  } catch (error) {
    // An interruption does not apply the edits saved by then.
    const isSaved = (await readFile(copy, 'utf8').catch(() => before)) !== before;
    if (error instanceof InterruptedError && isSaved) tellKept();
    else await rm(folder, { recursive: true, force: true });
    throw error;
  }
  const edited = await readFile(copy, 'utf8');
  const isChanged = edited !== before;
  try {
    const after = parseConfig(edited, shownPath(isChanged ? copy : path));
    const config = configIn(before);
    if (config !== undefined) await agreeOnMovedKeys(config, after);
    if (isChanged && !(await replaceConfigFile(text, edited, path)))
      throw failure(`${shownPath(path)} was changed by someone else in the meantime.`);
  } catch (error) {
    if (isChanged) tellKept();
    else await rm(folder, { recursive: true, force: true });
    throw error;
  }
  await rm(folder, { recursive: true, force: true });
  note(!isChanged ? 'Nothing was changed.' : `Saved ${shownPath(path)}.`);
}

/** Undefined where it is broken: then nobody knows which address its keys are for. */
function configIn(text: string): VoiceConfig | undefined {
  try {
    return parseConfig(text, '');
  } catch {
    return undefined;
  }
}

async function runEditor(file: string): Promise<void> {
  const editor = process.env.VISUAL || process.env.EDITOR || (process.platform === 'win32' ? 'notepad' : 'vi');
  const isWindows = process.platform === 'win32';
  const env = environmentWithoutVoice();
  // Editors are set with arguments ('code --wait'): the shell takes them apart, the file goes in as it is.
  const start = () =>
    isWindows
      ? spawn(`${editor} "${file}"`, { shell: true, stdio: 'inherit', env })
      : spawn('sh', ['-c', `${editor} "$1"`, 'voice', file], { stdio: 'inherit', env });
  const code = await outlive(start);
  if (code !== 0)
    throw failure(
      `The editor (${editor}) ended with ${code}; nothing was changed.`,
      'Set VISUAL or EDITOR to use another one.',
    );
}
