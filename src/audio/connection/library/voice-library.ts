// The one door to @discordjs/voice: whoever needs a value of it imports it from here, so that the hook is there first.
import './voice-library-hook.ts';

export * from '@discordjs/voice';
