import type { ChunkProgress } from '../../services/synthesis/synthesis-types.ts';

/** The part of a text that is being made or spoken. */
export interface PartsWatch {
  readonly onProgress: (progress: ChunkProgress) => void;
  latest: ChunkProgress | undefined;
  onChanged: () => void;
}

export function createPartsWatch(): PartsWatch {
  const watch: PartsWatch = {
    latest: undefined,
    onChanged: () => undefined,
    onProgress(progress) {
      watch.latest = progress;
      watch.onChanged();
    },
  };
  return watch;
}
