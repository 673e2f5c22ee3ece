/* How loud this page is: kept over a reload, with a sign where it is silent. */

import { byId, icon } from '../dom.js';

const STORED = 'crier-volume';

export function createVolume(onChange) {
  const slider = byId('volume');
  const button = byId('sound-off');
  let before = 1;

  function show(value) {
    slider.value = String(value);
    button.replaceChildren(icon(value === 0 ? 'speakerOff' : 'speaker'));
    button.setAttribute('aria-pressed', String(value === 0));
    onChange(value);
  }

  function set(value) {
    if (value > 0) before = value;
    localStorage.setItem(STORED, String(value));
    show(value);
  }

  slider.addEventListener('input', () => set(Number(slider.value)));
  button.addEventListener('click', () => set(Number(slider.value) === 0 ? before : 0));
  const stored = Number(localStorage.getItem(STORED) ?? 1);
  show(stored >= 0 && stored <= 1 ? stored : 1);

  return { value: () => Number(slider.value) };
}
