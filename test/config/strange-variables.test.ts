import { describe, expect, it } from 'vitest';
import {
  describeStrange,
  describeStrangeLine,
  strangeLines,
  strangeVariables,
} from '../../src/config/strange-variables.ts';
import { parseEnvText } from '../../src/process/env-file.ts';

const saidOf = (text: string) => strangeLines(parseEnvText(text)).map(describeStrangeLine);

describe('a line of .env', () => {
  it('that sets a setting again is named with the one before, and which counts', () => {
    expect(saidOf('LOG_LEVEL=info\nCOLOR=red\nCOLOR=blue\nLOG_LEVEL=debug\n')).toEqual([
      'In .env, line 4 sets LOG_LEVEL again, after line 1. The last one counts. Leave one of them out.',
    ]);
  });

  it('that sets a setting below its empty line of .env.example is what was meant, and an empty one below it is not', () => {
    expect(saidOf('DISCORD_TOKEN= \nLOG_LEVEL= # the level\nDISCORD_TOKEN=a\nLOG_LEVEL=info\n')).toEqual([]);
    expect(saidOf('DISCORD_TOKEN=a\nDISCORD_TOKEN=\n')).toEqual([
      'In .env, line 2 sets DISCORD_TOKEN again, after line 1. The last one counts. Leave one of them out.',
    ]);
  });

  it('that may be a key with = at its end is named without it, and a wrong name with it', () => {
    const file = parseEnvText('VOICE_API_KEY\nc2VjcmV0LWtleQ==\nREAD_MESSAGE=on\nCOLOR=red\n');
    expect(strangeLines(file).map(describeStrangeLine).at(-1)).toBe(
      'In .env, line 2 sets nothing that Crier reads. It is not used. Write it as NAME=VALUE, or with # in front as a comment.',
    );
    expect(strangeVariables({ c2VjcmV0LWtleQ: '=' }, file).map(describeStrange)).toEqual([
      'READ_MESSAGE is not a setting of Crier: did you mean READ_MESSAGES?',
      'COLOR is not a setting of Crier',
    ]);
  });

  it('with a colon, or with neither, is named without its value', () => {
    expect(saidOf('DISCORD_TOKEN: a.secret.token=\nanother:secret\nLOG_LEVEL debug\n')).toEqual([
      'In .env, line 1 has a colon after DISCORD_TOKEN. It is not read. Write DISCORD_TOKEN= and the value.',
      'In .env, line 2 sets nothing. It is not read. Write it as NAME=VALUE, or with # in front as a comment.',
      'In .env, line 3 sets nothing. It is not read. Write it as NAME=VALUE, or with # in front as a comment.',
    ]);
  });
});

describe('a variable of the environment, where a container or a unit puts the lines of its file', () => {
  it('that is nearly a setting is named, and other programs’ are not', () => {
    expect(strangeVariables({ AUDIO_CACHES_MB: '1', SPENDINGS_PER_DAY: '2' }, undefined).map(describeStrange)).toEqual([
      'AUDIO_CACHES_MB is not a setting of Crier: did you mean AUDIO_CACHE_MB?',
      'SPENDINGS_PER_DAY is not a setting of Crier: did you mean SPENDING_PER_DAY?',
    ]);
    // No slip, and nobody else's.
    expect(strangeVariables({ SPEECH_ENGINE_PRICE: '3' }, undefined).map(describeStrange)).toEqual([
      'SPEECH_ENGINE_PRICE is not a setting of Crier',
    ]);
    const others = { VOICE_API_PORT: '1', LOG_FILE: 'l', SPEECH_SERVICE_FAULTS: '', DATABASE_URL: 'd', PATH: '/' };
    expect(strangeVariables(others, undefined)).toEqual([]);
  });
});
