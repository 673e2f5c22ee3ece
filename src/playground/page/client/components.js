/* Draws Discord's message components: https://discord.com/developers/docs/components/reference */

import { el } from './dom.js';
import { markdown } from './markdown.js';

const STYLES = { 1: 'primary', 2: 'secondary', 3: 'success', 4: 'danger' };

export const components = (list, message, page) => list.map((component) => one(component, message, page));

function one(component, message, page) {
  const inner = (list = []) => components(list, message, page);
  switch (component.type) {
    case 1:
      return el('div', { class: 'controls' }, inner(component.components));
    case 2:
      return button(component, message, page);
    case 3:
    case 5:
    case 6:
    case 7:
    case 8:
      return menu(component, message, page);
    case 9:
      return el('div', { class: 'section' }, el('div', {}, inner(component.components)), inner([component.accessory]));
    case 10:
      return el('div', { class: 'words' }, markdown(component.content, page));
    case 14:
      return component.divider === false ? undefined : el('hr');
    case 17: {
      const box = el('div', { class: 'container' }, inner(component.components));
      if (typeof component.accent_color === 'number')
        box.style.borderColor = `#${component.accent_color.toString(16).padStart(6, '0')}`;
      return box;
    }
    default:
      return undefined;
  }
}

let used = Promise.resolve();

/** A click waits until the bot has answered an earlier menu choice, so that the bot knows the choice. */
async function use(control, act) {
  control.setAttribute('aria-busy', 'true');
  used = used.then(act);
  await used;
  control.removeAttribute('aria-busy');
}

function button({ style, label, emoji, url, disabled, custom_id: control }, message, page) {
  const shown = [emoji?.name, label].filter(Boolean).join(' ');
  if (url) return el('a', { class: 'button secondary', href: url, target: '_blank', rel: 'noreferrer' }, shown);
  const press = ({ currentTarget }) => use(currentTarget, () => page.try('press', { message: message.id, control }));
  const attributes = { type: 'button', class: `button ${STYLES[style]}`, disabled, data: { control }, onclick: press };
  return el('button', attributes, shown);
}

/** After this pause, the page sends the choices that were made in a menu for several choices. */
const PICKED_MS = 1_000;

function menu(component, message, page) {
  const {
    type,
    custom_id: control,
    min_values: min = 1,
    max_values: max = 1,
    disabled,
    channel_types: kinds,
  } = component;
  const placeholder = component.placeholder ?? 'Make a selection';
  const choices = type === 3 ? component.options : page.everything(type, kinds);
  const preset = new Set([
    ...(component.options ?? []).filter((option) => option.default).map(({ value }) => value),
    ...(component.default_values ?? []).map(({ id }) => id),
  ]);
  const multiple = max > 1;
  const options = choices.map(({ label, value, description, emoji }) =>
    el('option', { value }, [emoji?.name, label, description && `— ${description}`].filter(Boolean).join(' ')),
  );
  const first = !multiple && el('option', { value: '', disabled: min > 0 }, placeholder);
  const attributes = { class: 'menu', 'aria-label': placeholder, disabled, multiple, data: { control } };
  const select = el('select', attributes, first, options);
  for (const option of options) option.selected = preset.has(option.value);
  if (!multiple && preset.size === 0) select.value = '';
  const chosen = () => [...select.selectedOptions].map(({ value }) => value).filter((value) => value !== '');
  let sent = String(chosen());
  const pick = () => {
    const values = chosen();
    if (multiple && String(values) === sent) return;
    sent = String(values);
    use(select, () => page.try('pick', { message: message.id, control, values }));
  };
  if (!multiple) select.addEventListener('change', pick);
  else {
    select.addEventListener('blur', () => afterClick(pick));
    // Unlike Discord's menu, a browser's list for several choices never closes: a pause completes the choice.
    let timer;
    select.addEventListener('change', () => {
      clearTimeout(timer);
      timer = setTimeout(() => afterClick(pick), PICKED_MS);
    });
  }
  return select;
}

/**
 * Runs `work` after a click in progress, because the bot's answer could redraw the message and remove the button under
 * the mouse. An open list hides `mouseup` from the page, so its `change` ends the wait too.
 */
function afterClick(work) {
  if (!document.querySelector(':active')) return work();
  const once = new AbortController();
  const end = () => {
    once.abort();
    work();
  };
  for (const name of ['mouseup', 'change'])
    document.addEventListener(name, end, { capture: true, signal: once.signal });
}

const kilobytes = (bytes) => `${Math.ceil(bytes / 1_024).toLocaleString()} KB`;

export function fileBox(page, message, { name, type, size }) {
  const isAudio = type.startsWith('audio/');
  const box = el(
    'div',
    { class: 'file' },
    el('strong', {}, message.voice ? 'Voice message' : name),
    el('span', { class: 'quiet' }, kilobytes(size)),
    el('button', { type: 'button', class: 'button small', onclick: open }, isAudio ? `Play` : 'Save'),
  );
  async function open({ currentTarget }) {
    const { base64 } = await page.act('file', { message: message.id, name });
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    const url = URL.createObjectURL(new Blob([bytes], { type }));
    if (!isAudio) return el('a', { href: url, download: name }).click();
    currentTarget.remove();
    box.append(el('audio', { controls: true, autoplay: true, src: url, 'aria-label': name }));
  }
  return box;
}
