/* Elements without markup: strings become text, and are never parsed as HTML. */

export const byId = (id) => document.getElementById(id);

/** Makes an element. `class`, `on…` handlers, `data` and properties of the element are told apart by their names. */
export function el(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith('on')) made.addEventListener(key.slice(2), value);
    else if (key === 'data') Object.assign(made.dataset, value);
    else if (key === 'text') made.textContent = value;
    else if (key === 'value' || key === 'checked' || key === 'disabled' || key === 'multiple') made[key] = value;
    else made.setAttribute(key, value === true ? '' : String(value));
  }
  made.append(
    ...children
      .flat(Number.POSITIVE_INFINITY)
      .filter((child) => child !== undefined && child !== null && child !== false),
  );
  return made;
}

const SVG = 'http://www.w3.org/2000/svg';

/** Outlines of 24 by 24, drawn with the colour of the text around them. */
const SHAPES = {
  hash: 'M9 4 7 20M17 4l-2 16M4 9h17M3 15h17',
  speaker: 'M4 9v6h4l5 4V5L8 9H4Zm12-1a5 5 0 0 1 0 8m2.5-11a9 9 0 0 1 0 14',
  speakerOff: 'M4 9v6h4l5 4V5L8 9H4Zm12 0 6 6m0-6-6 6',
  stage: 'M5 20v-4a7 7 0 0 1 14 0v4M12 4a3 3 0 1 0 0 6 3 3 0 0 0 0-6Z',
  lock: 'M6 11h12v9H6v-9Zm2.5 0V8a3.500 3.500 0 0 1 7 0v3',
  mic: 'M12 3a3 3 0 0 0-3 3v5a3 3 0 0 0 6 0V6a3 3 0 0 0-3-3Zm-6 8a6 6 0 0 0 12 0M12 17v4',
  micOff: 'M12 3a3 3 0 0 0-3 3v5a3 3 0 0 0 6 0V6a3 3 0 0 0-3-3Zm-6 8a6 6 0 0 0 12 0M12 17v4M4 3l16 18',
  ears: 'M4 14v-2a8 8 0 0 1 16 0v2M4 14h3v6H4v-6Zm13 0h3v6h-3v-6Z',
  earsOff: 'M4 14v-2a8 8 0 0 1 16 0v2M4 14h3v6H4v-6Zm13 0h3v6h-3v-6ZM4 3l16 18',
  leave: 'M3 14c5-5 13-5 18 0l-2.500 3-4-1.500v-2.500a9 9 0 0 0-5 0v2.500L5.500 17 3 14Z',
  play: 'M7 4v16l13-8L7 4Z',
  pause: 'M7 4h4v16H7V4Zm6 0h4v16h-4V4Z',
  file: 'M6 3h8l4 4v14H6V3Zm8 0v4h4',
  download: 'M12 4v11m-5-5 5 5 5-5M5 20h14',
  eye: 'M2 12c4-7 16-7 20 0-4 7-16 7-20 0Zm10-3a3 3 0 1 0 0 6 3 3 0 0 0 0-6Z',
  people: 'M9 5a3.500 3.500 0 1 0 0 7 3.500 3.500 0 0 0 0-7Zm-7 14a7 7 0 0 1 14 0M16 6a3 3 0 0 1 0 6m2 1a6 6 0 0 1 4 6',
  gauge: 'M4 18a9 9 0 1 1 16 0M12 15l4-6',
  menu: 'M4 6h16M4 12h16M4 18h16',
  close: 'M5 5l14 14M19 5 5 19',
  plus: 'M12 5v14M5 12h14',
  link: 'M10 14a4 4 0 0 0 6 0l4-4a4 4 0 0 0-6-6l-1 1m1 5a4 4 0 0 0-6 0l-4 4a4 4 0 0 0 6 6l1-1',
  reply: 'M9 7H6a3 3 0 0 0-3 3v8M9 7h10',
  send: 'M3 11 21 3l-7 18-3-7-8-3Z',
};

export function icon(name) {
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('class', 'icon');
  svg.setAttribute('aria-hidden', 'true');
  const path = document.createElementNS(SVG, 'path');
  path.setAttribute('d', SHAPES[name]);
  svg.append(path);
  return svg;
}

/** A button that shows an outline only: its name is for screen readers, and the hint of the pointer. */
export const iconButton = (shape, name, attributes = {}) =>
  el('button', { type: 'button', class: 'icon-button', 'aria-label': name, title: name, ...attributes }, icon(shape));

/** The same name has the same colour everywhere. */
export function avatar(member, size = '') {
  if (member?.isBot) return el('img', { class: `avatar bot ${size}`, src: '/icon.svg', alt: '' });
  const name = member?.displayName ?? '?';
  const shade = [...name].reduce((sum, letter) => sum + letter.codePointAt(0), 0) % 6;
  return el('span', { class: `avatar shade-${shade} ${size}`, 'aria-hidden': 'true' }, [...name][0] ?? '?');
}

export function debounce(work, waitMs) {
  let timer;
  return (...given) => {
    clearTimeout(timer);
    timer = setTimeout(() => work(...given), waitMs);
  };
}

/** `work` with the next picture of the screen, once however often it is asked for: sound is decoded on the same thread. */
export function withNextFrame(work) {
  let asked = false;
  return () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      work();
    });
  };
}
