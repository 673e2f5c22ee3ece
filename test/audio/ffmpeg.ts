import { spawnSync } from 'node:child_process';
import { isMissing } from '../missing-program.ts';

export const isFfmpegMissing = isMissing(
  spawnSync('ffmpeg', ['-version']).status === 0,
  'ffmpeg is missing (Debian package ffmpeg): what needs it is not tested',
);
