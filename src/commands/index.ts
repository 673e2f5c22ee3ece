import { about } from './about.ts';
import type { Command } from './command.ts';
import { credits } from './credits.ts';
import { dictionary } from './dictionary.ts';
import { forget } from './forget.ts';
import { createHelp } from './help.ts';
import { join } from './join.ts';
import { leave } from './leave.ts';
import { optOut } from './opt-out.ts';
import { owner } from './owner.ts';
import { pause } from './pause.ts';
import { privacy } from './privacy.ts';
import { queue } from './queue.ts';
import { replay } from './replay.ts';
import { resume } from './resume.ts';
import { say } from './say.ts';
import { settings } from './settings.ts';
import { setup } from './setup.ts';
import { skip } from './skip.ts';
import { saveSpeech, speakMessage } from './speak-message.ts';
import { stop } from './stop.ts';
import { tags } from './tags.ts';
import { voice } from './voice.ts';
import { voices } from './voices.ts';

/** Every command of the bot. Registration, dispatch and /help read this list. */
export const commands: readonly Command[] = [
  say,
  speakMessage,
  saveSpeech,
  queue,
  skip,
  pause,
  resume,
  stop,
  replay,
  join,
  leave,
  voice,
  voices,
  tags,
  credits,
  settings,
  optOut,
  setup,
  owner,
  dictionary,
  privacy,
  forget,
  about,
  createHelp(() => commands),
];
