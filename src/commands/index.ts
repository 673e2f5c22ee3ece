import type { Command } from './command.ts';
import { credits } from './credits.ts';
import { createHelp } from './help.ts';
import { leave } from './leave.ts';
import { say } from './say.ts';
import { settings } from './settings.ts';
import { stop } from './stop.ts';
import { voice } from './voice.ts';
import { voices } from './voices.ts';

/** Every command of the bot. Registration, dispatch and /help read this list. */
export const commands: readonly Command[] = [
  say,
  stop,
  leave,
  voice,
  voices,
  credits,
  settings,
  createHelp(() => commands),
];
