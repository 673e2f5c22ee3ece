import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { environmentWithoutVoice } from '../../process/child-environment.ts';
import { parseConfig, replaceConfigFile } from '../config/config-file.ts';
import {
  type EditCopy,
  editCopies,
  isBasedOn,
  keepCopy,
  makeCopy,
  openAgain,
  removeCopy,
} from '../config/edit-copies.ts';
import { configPath, shownPath } from '../config/paths.ts';
import { agreeOnMovedKeys } from '../config/session.ts';
import { movedFromBroken, movedKeys, type VoiceConfig } from '../config/settings.ts';
import { failure, InterruptedError, usageError } from '../terminal/exit.ts';
import { interruptible, outlive } from '../terminal/interrupt.ts';
import { confirm } from '../terminal/prompt.ts';
import { canAsk, note } from '../terminal/terminal.ts';
import { TEMPLATE } from './config.ts';

/** Opens a copy in the editor; it takes the file's place only when it can be read. */
export async function configEdit(): Promise<void> {
  const editor = editorCommand();
  const path = configPath();
  const read = () =>
    readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw failure(`${shownPath(path)} cannot be read (${error.code}).`);
    });
  if ((await read()) === undefined) await replaceConfigFile(undefined, TEMPLATE);
  const text = await read();
  const before = text ?? TEMPLATE;
  const kept = (await editCopies()).filter(({ isOpen }) => !isOpen);
  const resumed = await resumedCopy(kept, before);
  const copy = resumed === undefined ? await makeCopy(before) : await openAgain(resumed);
  const keep = async () => {
    await keepCopy(copy);
    note(`Your changes are kept in ${shownPath(copy.file)}; ${shownPath(path)} was not changed.`);
  };
  try {
    await runEditor(editor, copy.file);
  } catch (error) {
    // An interruption does not apply the edits saved by then.
    const isSaved = (await readFile(copy.file, 'utf8').catch(() => before)) !== before;
    if (resumed !== undefined || (error instanceof InterruptedError && isSaved)) await keep();
    else await removeCopy(copy);
    throw error;
  }
  const edited = await readFile(copy.file, 'utf8');
  const isChanged = edited !== before;
  try {
    const after = parseConfig(edited, shownPath(isChanged ? copy.file : path));
    const config = configIn(before);
    const moved = config === undefined ? movedFromBroken(before, after) : movedKeys(config, after);
    await agreeOnMovedKeys(moved, config ?? after);
    if (isChanged && !(await replaceConfigFile(text, edited, path)))
      throw failure(`${shownPath(path)} was changed by someone else in the meantime.`);
  } catch (error) {
    if (isChanged) await keep();
    else await removeCopy(copy);
    throw error;
  }
  await removeCopy(copy);
  if (!isChanged) return note('Nothing was changed.');
  note(`Saved ${shownPath(path)}.`);
  for (const older of kept.filter((one) => one !== resumed)) {
    await removeCopy(older);
    note(`Removed ${shownPath(older.file)}, kept by an earlier edit.`);
  }
}

/** The newest kept changes, if the person wants to go on with them. */
async function resumedCopy([newest]: readonly EditCopy[], before: string): Promise<EditCopy | undefined> {
  if (newest === undefined) return undefined;
  note(`Changes of an earlier edit are kept in ${shownPath(newest.file)}. The next edit that is saved removes them.`);
  if (!canAsk()) return undefined;
  if (!(await isBasedOn(newest, before)))
    note(`${shownPath(configPath())} was changed since: they would take the place of all that it holds now.`);
  return (await interruptible((interrupt) => confirm('Go on with them?', interrupt))) ? newest : undefined;
}

/** Undefined where it is broken. */
function configIn(text: string): VoiceConfig | undefined {
  try {
    return parseConfig(text, '');
  } catch {
    return undefined;
  }
}

/** One that was set may need no terminal; vi would draw the whole file, its keys included, into a pipe or a log. */
function editorCommand(): string {
  const chosen = process.env.VISUAL || process.env.EDITOR;
  if (chosen) return chosen;
  if (process.platform === 'win32') return 'notepad';
  if (process.stdin.isTTY && process.stdout.isTTY) return 'vi';
  throw usageError(
    'voice config edit opens vi, which needs a terminal for its input and output.',
    'Set VISUAL or EDITOR to use another editor, or change one value: voice config set KEY VALUE.',
  );
}

async function runEditor(editor: string, file: string): Promise<void> {
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
