import { byId, el } from './dom.js';
import { createFollowing } from './following.js';

const LEVELS = { 10: 'trace', 20: 'debug', 30: 'info', 40: 'warn', 50: 'error', 60: 'fatal' };
const KEPT_LINES = 300;
const HIDDEN_FIELDS = new Set(['level', 'time', 'msg', 'pid', 'hostname']);

export function createLog() {
  const log = byId('log');
  const { follow, showNewest } = createFollowing(log);
  const level = byId('log-level');
  let lines = [];
  let isAsked = false;

  /** Renders the log once with the next frame, however many lines come, because audio is decoded on the same thread. */
  function renderSoon() {
    if (isAsked) return;
    isAsked = true;
    requestAnimationFrame(() => {
      isAsked = false;
      log.replaceChildren(...lines.filter((line) => (line.level ?? 30) >= Number(level.value)).map(row));
      follow();
    });
  }
  level.addEventListener('change', renderSoon);

  return {
    showNewest,
    take(more, isFresh) {
      lines = [...(isFresh ? [] : lines), ...more].slice(-KEPT_LINES);
      renderSoon();
    },
  };
}

function row(line) {
  const level = LEVELS[line.level] ?? '';
  const time = typeof line.time === 'string' ? line.time.slice(11, 23) : '';
  const details = Object.entries(line)
    .filter(([key, value]) => !HIDDEN_FIELDS.has(key) && value !== null)
    .map(([key, value]) => `${key}=${typeof value === 'object' ? JSON.stringify(value) : value}`);
  return el(
    'li',
    { class: level },
    `${time} ${level} ${line.msg ?? ''} `,
    el('span', { class: 'quiet' }, details.join(' ')),
  );
}
