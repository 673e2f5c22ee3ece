// The one door to @discordjs/voice: values of it are imported from here only, so that the hook is installed first.
import './voice-library-hook.ts';

export * from '@discordjs/voice';
