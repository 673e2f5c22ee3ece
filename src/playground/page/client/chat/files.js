/* Files of messages: sound that plays, voice messages with their waveform, all others to be saved. */

import { blobOf } from '../connection.js';
import { el, icon } from '../dom.js';

const BARS = 40;

const clock = (seconds) => `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`;
const size = (bytes, language, t) => {
  if (bytes < 1_024) return t('bytes', bytes.toLocaleString(language));
  return bytes < 1_048_576
    ? `${(bytes / 1_024).toLocaleString(language, { maximumFractionDigits: 1 })} KB`
    : `${(bytes / 1_048_576).toLocaleString(language, { maximumFractionDigits: 1 })} MB`;
};

/** `load()` resolves with `{ type, base64 }`. */
export function fileBox(file, { voice, load, t, language }) {
  return voice ? voiceMessage(file, load, t) : plainFile(file, load, t, language);
}

/** Its waveform has up to 256 values of 0 to 255, in base64. */
function heights(waveform) {
  const values = [...atob(waveform ?? '')].map((letter) => letter.charCodeAt(0) / 255);
  if (values.length === 0) return new Array(BARS).fill(0.3);
  return Array.from({ length: BARS }, (_, bar) => {
    const part = values.slice(Math.floor((bar * values.length) / BARS), Math.ceil(((bar + 1) * values.length) / BARS));
    return Math.max(...part, 0.08);
  });
}

function voiceMessage(file, load, t) {
  let audio;
  const bars = heights(file.waveform).map((height) => {
    const bar = el('i');
    bar.style.setProperty('--height', `${Math.round(height * 100)}%`);
    return bar;
  });
  const time = el('span', { class: 'time' }, clock(file.seconds ?? 0));
  const button = el(
    'button',
    { type: 'button', class: 'play', 'aria-label': t('play'), onclick: toggle },
    icon('play'),
  );

  function show() {
    const playing = audio !== undefined && !audio.paused;
    button.replaceChildren(icon(playing ? 'pause' : 'play'));
    button.setAttribute('aria-label', t(playing ? 'pause' : 'play'));
    const share = audio?.duration > 0 ? audio.currentTime / audio.duration : 0;
    for (const [index, bar] of bars.entries()) bar.classList.toggle('played', index < share * BARS);
    time.textContent = clock(playing ? audio.currentTime : (file.seconds ?? 0));
  }

  async function toggle() {
    if (audio === undefined) {
      audio = new Audio(URL.createObjectURL(blobOf(await load())));
      for (const event of ['play', 'pause', 'timeupdate', 'ended']) audio.addEventListener(event, show);
    }
    if (audio.paused) await audio.play();
    else audio.pause();
  }

  return el(
    'div',
    { class: 'voice-message' },
    button,
    el('span', { class: 'waveform', 'aria-hidden': 'true' }, bars),
    time,
  );
}

function plainFile(file, load, t, language) {
  const box = el(
    'div',
    { class: 'file' },
    icon('file'),
    el('div', { class: 'file-name' }, el('strong', {}, file.name), el('span', {}, size(file.size, language, t))),
    el(
      'button',
      {
        type: 'button',
        class: 'icon-button',
        'aria-label': `${t('save')} ${file.name}`,
        title: t('save'),
        onclick: save,
      },
      icon('download'),
    ),
  );
  async function save() {
    const url = URL.createObjectURL(blobOf(await load()));
    el('a', { href: url, download: file.name }).click();
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
  }
  if (!file.type.startsWith('audio/')) return box;
  const play = el(
    'button',
    {
      type: 'button',
      class: 'icon-button',
      'aria-label': `${t('play')} ${file.name}`,
      title: t('play'),
      onclick: open,
    },
    icon('play'),
  );
  async function open() {
    const player = el('audio', {
      controls: true,
      src: URL.createObjectURL(blobOf(await load())),
      'aria-label': file.name,
    });
    play.remove();
    box.after(player);
    await player.play();
  }
  box.querySelector('.file-name').after(play);
  return box;
}
