// Values of @discordjs/voice are only imported through this file, so that the hook is installed first.
import './voice-library-hook.ts';

export * from '@discordjs/voice';
