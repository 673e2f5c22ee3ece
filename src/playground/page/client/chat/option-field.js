/* The field of one option of a command: a combobox with the values on offer, or a file. */

import { debounce, el, iconButton } from '../dom.js';
import { namedAtEnd, OPTION } from './command-line.js';

/** Asking the bot at each key would be too often; this is what Discord's client waits. */
const SUGGEST_AFTER_MS = 150;

/** The name and field of an option; one that may be left out can be removed. */
function pill(option, field, { page: { t }, remove }, self) {
  const name = el('label', {}, el('span', { 'aria-hidden': 'true' }, option.shown), field);
  if (option.required) return el('div', { class: 'pill' }, name);
  const close = iconButton('close', `${t('removeOption')}: ${option.shown}`, { onclick: () => remove(self()) });
  return el('div', { class: 'pill' }, name, close);
}

/** One option's pill: what is typed, and for values with another name the value behind it. */
export function optionField(option, preset, box) {
  if (option.type === OPTION.attachment) return fileField(option, box);
  const { page, suggestions, say } = box;
  let behind;
  const choice = option.choices.find(({ value, name }) => value === preset || name === preset);
  const input = el('input', {
    type: 'text',
    role: 'combobox',
    'aria-autocomplete': 'list',
    'aria-expanded': 'false',
    'aria-controls': 'suggestion-list',
    'aria-label': `${option.shown}: ${option.about}`,
    'aria-required': option.required ? 'true' : undefined,
    inputmode: option.type === OPTION.integer || option.type === OPTION.number ? 'decimal' : undefined,
    autocomplete: 'off',
    spellcheck: 'false',
    data: { option: option.name },
    value: choice?.name ?? preset,
  });
  if (choice) behind = choice.value;
  const row = pill(option, input, box, () => self);
  const self = {
    option,
    row,
    value: () => behind ?? input.value.trim(),
    focus: () => {
      input.focus();
      input.setSelectionRange(input.value.length, input.value.length);
    },
  };
  const grow = () => {
    input.style.width = `${Math.max(4, [...input.value].length + 1)}ch`;
  };
  const choose = (shown, value) => {
    input.value = shown;
    behind = value;
    grow();
    suggestions.close();
    say();
    const next = box.fields().find((other) => other !== self && other.option.required && other.value() === '');
    next?.focus();
  };
  const offer = () => {
    const rows = offered(option, input.value, page);
    if (rows)
      suggestions.open(input, option.shown, rows, {
        first: input.value !== '',
        onChoose: ({ label, value }) => choose(label, value),
      });
    else if (option.suggests) ask();
    else suggestions.close();
  };
  const ask = debounce(async () => {
    // It was sent, or taken away, meanwhile.
    if (document.activeElement !== input) return;
    const typed = input.value;
    const filled = Object.fromEntries(
      box
        .fields()
        .filter((other) => other !== self && typeof other.value() === 'string' && other.value() !== '')
        .map((other) => [other.option.name, other.value()]),
    );
    try {
      const choices = await page.act('complete', { name: box.command().name, option: option.name, typed, filled });
      if (document.activeElement !== input || input.value !== typed || behind !== undefined) return;
      const rows = choices.map(({ name, value }) => ({ label: name, value }));
      suggestions.open(input, `${option.shown} — ${option.about}`, rows, {
        first: typed !== '',
        onChoose: ({ label, value }) => choose(label, value),
      });
    } catch (error) {
      if (document.activeElement === input) say(page.words(error));
    }
  }, SUGGEST_AFTER_MS);
  input.addEventListener('focus', () => {
    box.describe(option);
    offer();
  });
  input.addEventListener('blur', () => suggestions.close());
  input.addEventListener('input', () => {
    behind = undefined;
    grow();
    say();
    row.classList.remove('wrong');
    input.removeAttribute('aria-invalid');
    // Its name was typed again, as it stands in documents.
    if ([option.name, option.shown].some((name) => input.value.toLowerCase() === `${name.toLowerCase()}:`))
      input.value = '';
    const named = namedAtEnd(input.value, box.unused());
    if (named) {
      input.value = named.text;
      grow();
      return box.add(named.option);
    }
    offer();
  });
  input.addEventListener('keydown', (event) => {
    if (suggestions.key(event)) return;
    if (event.key === 'Backspace' && input.value === '') {
      event.preventDefault();
      if (option.required) box.cancel();
      else box.remove(self);
    } else box.keys(event);
  });
  self.refuse = () => {
    row.classList.add('wrong');
    input.setAttribute('aria-invalid', 'true');
    input.setAttribute('aria-describedby', 'problem');
    self.focus();
  };
  grow();
  return self;
}

function fileField(option, box) {
  let file;
  const input = el('input', {
    type: 'file',
    'aria-label': `${option.shown}: ${option.about}`,
    onfocus: () => box.describe(option),
    onchange: () => {
      [file] = input.files;
      box.say();
    },
  });
  const self = {
    option,
    row: pill(option, input, box, () => self),
    value: () => file ?? '',
    focus: () => input.focus(),
    refuse: () => input.focus(),
  };
  return self;
}

/** Values that are known without asking the bot. */
function offered({ type, choices }, typed, { names, t }) {
  const fits = ({ label }) => label.toLowerCase().includes(typed.toLowerCase());
  if (choices.length > 0) return choices.map(({ name, value }) => ({ label: name, value })).filter(fits);
  if (type === OPTION.boolean)
    return [
      { label: t('true'), value: true },
      { label: t('false'), value: false },
    ].filter(fits);
  const menus = { [OPTION.user]: 5, [OPTION.role]: 6, [OPTION.mentionable]: 7, [OPTION.channel]: 8 };
  return menus[type] && names.everything(menus[type]).filter(fits);
}
