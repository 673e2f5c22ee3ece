/* Discord's components: https://discord.com/developers/docs/components/reference */

import { el } from '../dom.js';
import { markdown } from './markdown.js';

const STYLES = { 1: 'primary', 2: 'secondary', 3: 'success', 4: 'danger', 5: 'link', 6: 'premium' };

/** `page` has the names behind mentions, the words of the language, and the acts `press` and `pick`. */
export const components = (list, message, page) => list.map((component) => one(component, message, page));

function one(component, message, page) {
  switch (component.type) {
    case 1:
      return el('div', { class: 'controls' }, components(component.components, message, page));
    case 2:
      return button(component, message, page);
    case 3:
    case 5:
    case 6:
    case 7:
    case 8:
      return menu(component, message, page);
    case 9:
      return el(
        'div',
        { class: 'section' },
        el('div', { class: 'section-text' }, components(component.components, message, page)),
        one(component.accessory, message, page),
      );
    case 10:
      return el('div', { class: 'words' }, markdown(component.content, page.names));
    case 11:
      return picture(component, 'thumbnail');
    case 12:
      return el(
        'div',
        { class: 'gallery' },
        component.items.map((item) => picture(item, 'picture')),
      );
    case 13:
      return page.file(message, component.file.url.split('/').at(-1));
    case 14:
      return component.divider === false ? el('div', { class: 'gap' }) : el('hr');
    case 17: {
      const box = el('div', { class: 'container' }, components(component.components, message, page));
      if (typeof component.accent_color === 'number')
        box.style.setProperty('--accent-color', `#${component.accent_color.toString(16).padStart(6, '0')}`);
      return box;
    }
    default:
      return undefined;
  }
}

/** Images come from anywhere; the page loads nothing from elsewhere, and shows their description. */
const picture = ({ description }, name) => el('div', { class: name }, description ?? '');

function button({ style, label, emoji, url, disabled, custom_id: control }, message, page) {
  const shown = [emoji?.name, label].filter(Boolean).join(' ');
  const name = `button ${STYLES[style] ?? 'secondary'}`;
  if (url) return el('a', { class: name, href: url, target: '_blank', rel: 'noreferrer noopener' }, shown);
  return el(
    'button',
    {
      type: 'button',
      class: name,
      disabled,
      data: { control },
      onclick: (event) => page.press(message, control, event.currentTarget),
    },
    shown,
  );
}

/** People, roles and channels of menus that offer all of them. */
function offered({ type, options, channel_types: kinds }, names) {
  if (type === 3)
    return options.map(({ label, value, description, emoji }) => ({
      label: [emoji?.name, label].filter(Boolean).join(' '),
      value,
      description,
    }));
  return names.everything(type, kinds);
}

export function menu(component, message, page) {
  const choices = offered(component, page.names);
  const {
    custom_id: control,
    min_values: min = 1,
    max_values: max = 1,
    placeholder = page.t('choose'),
    disabled,
  } = component;
  const preset = new Set([
    ...(component.options ?? []).filter((option) => option.default).map(({ value }) => value),
    ...(component.default_values ?? []).map(({ id }) => id),
  ]);
  const pick = (values, at) => page.pick(message, control, values, at);
  if (max === 1) return single({ choices, placeholder, preset, min, disabled, control, pick });
  return several({ choices, placeholder, preset, min, max, disabled, control, pick, t: page.t });
}

function single({ choices, placeholder, preset, min, disabled, control, pick }) {
  const hint = el('option', { value: '', disabled: min > 0 }, placeholder);
  const select = el(
    'select',
    {
      class: 'menu',
      'aria-label': placeholder,
      disabled,
      data: { control },
      onchange: () => pick(select.value === '' ? [] : [select.value], select),
    },
    hint,
    choices.map(({ label, value, description }) =>
      el('option', { value }, description ? `${label} — ${description}` : label),
    ),
  );
  select.value = [...preset][0] ?? '';
  return select;
}

function several({ choices, placeholder, preset, min, max, disabled, control, pick, t }) {
  const boxes = choices.map(({ label, value }) => {
    const box = el('input', { type: 'checkbox', value, checked: preset.has(value), disabled });
    return { box, row: el('label', { class: 'check' }, box, label) };
  });
  const chosen = () => boxes.filter(({ box }) => box.checked).map(({ box }) => box.value);
  const done = el(
    'button',
    { type: 'button', class: 'button primary', onclick: (event) => pick(chosen(), event.currentTarget) },
    t('done'),
  );
  const check = () => {
    done.disabled = disabled || chosen().length < min || chosen().length > max;
  };
  const box = el(
    'details',
    { class: 'menu several', data: { control }, onchange: check },
    el(
      'summary',
      {},
      choices
        .filter(({ value }) => preset.has(value))
        .map(({ label }) => label)
        .join(', ') || placeholder,
    ),
    el(
      'div',
      { class: 'choices' },
      boxes.map(({ row }) => row),
    ),
    done,
  );
  check();
  return box;
}

/** An embed, the older form of a container. */
export function embed({ author, title, url, description, fields = [], footer, color }, names) {
  const box = el(
    'div',
    { class: 'container' },
    author && el('p', { class: 'small' }, author.name),
    title &&
      el(
        'p',
        { class: 'heading small-heading' },
        url ? el('a', { href: url, target: '_blank', rel: 'noreferrer noopener' }, title) : title,
      ),
    description && el('div', { class: 'words' }, markdown(description, names)),
    fields.map(({ name, value }) => el('div', { class: 'field' }, el('strong', {}, name), markdown(value, names))),
    footer && el('p', { class: 'small' }, footer.text),
  );
  if (typeof color === 'number') box.style.setProperty('--accent-color', `#${color.toString(16).padStart(6, '0')}`);
  return box;
}
