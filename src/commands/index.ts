import { dictionary } from './dictionary/dictionary.ts';
import type { Command } from './framework/command.ts';
import { about } from './info/about.ts';
import { credits } from './info/credits.ts';
import { createHelp } from './info/help.ts';
import { owner } from './owner/owner.ts';
import { join } from './playback/join.ts';
import { leave } from './playback/leave.ts';
import { pause, resume } from './playback/pause.ts';
import { queue } from './playback/queue.ts';
import { replay } from './playback/replay.ts';
import { skip } from './playback/skip.ts';
import { stop } from './playback/stop.ts';
import { forget } from './privacy/forget.ts';
import { optOut, privacy } from './privacy/privacy.ts';
import { saveSpeech, say, speakMessage } from './say/say.ts';
import { settings } from './settings/settings.ts';
import { setup } from './settings/setup.ts';
import { tags } from './voices/tags.ts';
import { voice } from './voices/voice.ts';
import { voices } from './voices/voices.ts';

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
