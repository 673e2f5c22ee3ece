import { ApplicationCommandOptionType, ApplicationCommandType, type Client } from 'discord.js';
import type { Logger } from 'pino';
import { registerCommands } from '../discord/client/registration.ts';
import { dictionary } from './dictionary/dictionary.ts';
import type { Command } from './framework/command.ts';
import { toCommandBody } from './framework/options.ts';
import { credits } from './info/credits.ts';
import { about, createHelp } from './info/help.ts';
import { owner } from './owner/owner.ts';
import { join, leave } from './playback/join.ts';
import { pause, queue, resume, skip, stop } from './playback/queue.ts';
import { replay } from './playback/replay.ts';
import { forget, optOut, privacy } from './privacy/privacy.ts';
import { saveSpeech, say, speakMessage } from './say/say.ts';
import { settings } from './settings/settings.ts';
import { setup } from './settings/setup.ts';
import { voice } from './voices/voice.ts';
import { tags, voices } from './voices/voices.ts';

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

/** Resolves with the ids of the commands that members type, or with undefined if the registration fails. */
export async function offerCommands(client: Client<true>, directUse: boolean, log: Logger) {
  try {
    const wanted = commands.map((command) => toCommandBody(command, directUse));
    const registered = await registerCommands(client, wanted, log);
    return new Map(
      registered.flatMap(({ name, id, type, options = [] }) => {
        if (type !== ApplicationCommandType.ChatInput) return [];
        const inner = options.filter((option) => option.type === ApplicationCommandOptionType.Subcommand);
        return inner.length === 0 ? [[name, id]] : inner.map((sub) => [`${name} ${sub.name}`, id]);
      }) as [string, string][],
    );
  } catch (error) {
    // The bot goes on, because the commands that an earlier start registered still work.
    log.error(
      { err: error, remedy: 'Check that the bot was invited with the scope applications.commands' },
      'Commands not registered: old ones stay until the next start',
    );
    return undefined;
  }
}
