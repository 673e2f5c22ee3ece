import { shorten } from './shorten.ts';
import { styled } from './terminal.ts';

export type ProgressLine = ReturnType<typeof createProgress>;

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_MS = 100;

/** One line on stderr that changes while something is under way; nothing at all when stderr is no terminal. */
export function createProgress(stream: NodeJS.WriteStream = process.stderr) {
  if (stream.isTTY !== true || process.env.TERM === 'dumb') return { show: (_text: string) => {}, clear: () => {} };
  let timer: NodeJS.Timeout | undefined;
  let text = '';
  let startedAtMs = 0;
  let frame = 0;
  const draw = () => {
    frame = (frame + 1) % FRAMES.length;
    const seconds = ((performance.now() - startedAtMs) / 1000).toFixed(1);
    const line = shorten(`${text} ${seconds} s`, (stream.columns || 80) - 3);
    stream.write(`\r\u001b[2K${styled('cyan', FRAMES[frame] ?? '', stream)} ${line}`);
  };
  return {
    show(next: string) {
      text = next;
      if (timer === undefined) {
        startedAtMs = performance.now();
        timer = setInterval(draw, FRAME_MS);
        timer.unref();
      }
      draw();
    },
    /** Takes the line away, for other output or for good. Idempotent. */
    clear() {
      if (timer === undefined) return;
      clearInterval(timer);
      timer = undefined;
      stream.write('\r\u001b[2K');
    },
  };
}
