/* The box below the messages: words, or a command with its options, as Discord's client fills them in. */

import { uploaded } from '../connection.js';
import { avatar, byId, el, icon, iconButton } from '../dom.js';
import { commandIn, lineOf, matching, OPTION, optionsIn, problemOf } from './command-line.js';
import { optionField } from './option-field.js';
import { createSuggestions } from './suggestions.js';

export function createComposer(page) {
  const { t } = page;
  const form = byId('composer');
  const suggestions = createSuggestions(page);
  /** The chosen command; undefined while words are typed. */
  let command;
  let fields = [];
  let files = [];
  let sending = false;

  const commands = () => page.commands();
  const unused = () => command.options.filter(({ name }) => !fields.some(({ option }) => option.name === name));
  const say = (problem = '') => {
    byId('problem').textContent = problem;
  };
  /** The box as its options' fields know it. */
  const box = {
    page,
    suggestions,
    say,
    keys,
    add,
    remove,
    cancel,
    unused,
    describe,
    command: () => command,
    fields: () => fields,
  };

  // --- words -----------------------------------------------------------------------------------------------------

  const text = el('textarea', {
    id: 'words',
    rows: '1',
    'aria-autocomplete': 'list',
    'aria-controls': 'suggestion-list',
    autocomplete: 'off',
    oninput: () => typed(),
    onkeydown: (event) => {
      if (suggestions.key(event)) return;
      if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      send();
    },
  });
  const picker = el('input', { type: 'file', hidden: true, multiple: true, onchange: () => attach([...picker.files]) });

  function typed() {
    say();
    text.style.height = 'auto';
    text.style.height = `${Math.min(text.scrollHeight, 160)}px`;
    const line = text.value;
    if (!line.startsWith('/')) return suggestions.close();
    const found = commandIn(commands(), line);
    if (found) return begin(found.command, optionsIn(found.command, found.rest));
    const rows = matching(commands(), line).map((each) => ({
      label: `/${each.shown}`,
      about: each.about,
      sign: '/',
      command: each,
    }));
    suggestions.open(text, t('commands'), rows, { first: true, onChoose: (row) => begin(row.command, new Map()) });
  }

  function attach(chosen) {
    files = [...files, ...chosen];
    picker.value = '';
    showWords();
  }

  function showWords() {
    command = undefined;
    fields = [];
    suggestions.close();
    const chips = files.map((file) =>
      el(
        'span',
        { class: 'chip' },
        icon('file'),
        file.name,
        iconButton('close', `${t('remove')} ${file.name}`, {
          onclick: () => {
            files = files.filter((other) => other !== file);
            showWords();
          },
        }),
      ),
    );
    form.replaceChildren(
      el(
        'div',
        { class: 'line' },
        iconButton('plus', t('attach'), { onclick: () => picker.click() }),
        picker,
        text,
        iconButton('send', t('send'), { onclick: () => send(), class: 'icon-button send' }),
      ),
      ...(chips.length > 0 ? [el('div', { class: 'chips' }, chips)] : []),
    );
    label();
  }

  function label() {
    const place = page.place();
    const words = t('messageTo', place === '@bot' ? `@${page.names.member(page.names.botId)}` : `#${place}`);
    text.placeholder = words;
    text.setAttribute('aria-label', words);
  }

  // --- a command ---------------------------------------------------------------------------------------------------

  function begin(chosen, values) {
    command = chosen;
    text.value = '';
    text.style.height = 'auto';
    fields = [];
    const given = chosen.options.filter(({ name, required }) => required || values.has(name));
    const [first] = chosen.options;
    // Words that follow a command belong to its first option.
    if (given.length === 0 && first?.type === OPTION.string) given.push(first);
    for (const option of given) fields.push(optionField(option, values.get(option.name) ?? '', box));
    showCommand();
    const empty = fields.find(({ value }) => value() === '') ?? fields.at(-1);
    if (empty) empty.focus();
    // Nothing is missing: the next Enter sends it.
    else form.querySelector('.send').focus();
  }

  function showCommand() {
    suggestions.close();
    const left = unused();
    const more =
      left.length > 0 &&
      el(
        'button',
        {
          type: 'button',
          class: 'more',
          'aria-haspopup': 'listbox',
          'aria-expanded': 'false',
          onclick: () => offerOptions(more),
          onkeydown: (event) => suggestions.key(event) || keys(event),
          onblur: () => suggestions.close(),
        },
        t('moreOptions', left.length),
      );
    form.replaceChildren(
      el('p', { class: 'described', id: 'described', 'aria-hidden': 'true' }, command.about),
      el(
        'div',
        { class: 'line command' },
        avatar({ isBot: true }, 'of-row'),
        el(
          'button',
          {
            type: 'button',
            class: 'command-name',
            title: command.about,
            'aria-label': `/${command.shown}, ${t('removeCommand')}`,
            onclick: () => discard(),
            onkeydown: keys,
          },
          `/${command.shown}`,
        ),
        el(
          'div',
          { class: 'options' },
          fields.map(({ row }) => row),
          more,
        ),
        iconButton('send', t('send'), { onclick: () => send(), onkeydown: keys, class: 'icon-button send' }),
      ),
    );
  }

  /** What the option is for, above the line as in Discord's client; screen readers have it in the field's name. */
  function describe({ shown, about }) {
    byId('described').replaceChildren(el('strong', {}, shown), ` ${about}`);
  }

  /** The command goes, with all that was filled in. */
  function discard() {
    text.value = '';
    showWords();
    say();
    text.focus();
  }

  /** Back to the name as it was typed, where another command may be meant. */
  function cancel() {
    const line = `/${command.shown}`;
    say();
    text.value = line;
    showWords();
    text.focus();
    typed();
  }

  function keys(event) {
    const isBack = event.key === 'Backspace' && event.currentTarget?.tagName === 'BUTTON';
    if (event.key === 'Escape' || isBack) {
      event.preventDefault();
      discard();
    } else if (event.key === 'Enter' && event.currentTarget?.tagName === 'INPUT' && !event.isComposing) {
      event.preventDefault();
      send();
    }
  }

  function offerOptions(owner) {
    const rows = unused().map((option) => ({ label: option.shown, about: option.about, option }));
    suggestions.open(owner, t('options'), rows, { first: true, onChoose: ({ option }) => add(option) });
  }

  function add(option, value = '') {
    const added = optionField(option, value, box);
    fields.push(added);
    showCommand();
    added.focus();
  }

  function remove(gone) {
    const index = fields.indexOf(gone);
    fields = fields.filter((each) => each !== gone);
    showCommand();
    (fields[Math.max(0, index - 1)] ?? form.querySelector('.send')).focus();
  }

  // --- sending -----------------------------------------------------------------------------------------------------

  async function send() {
    if (sending) return;
    sending = true;
    say();
    try {
      await (command ? sendCommand() : sendWords());
    } catch (error) {
      say(page.words(error));
    } finally {
      sending = false;
    }
  }

  async function sendWords() {
    const words = text.value.trim();
    if (words === '' && files.length === 0) return;
    // Refused where there is no such command, with the one that was meant.
    if (words.startsWith('/')) await page.act('command', { name: words.slice(1), options: {} });
    else await page.act('write', { text: words, files: await Promise.all(files.map(uploaded)) });
    text.value = '';
    files = [];
    typed();
    showWords();
    text.focus();
    page.wrote();
  }

  async function sendCommand() {
    const wrong = fields
      .map((each) => ({ each, problem: problemOf(each.option, each.value(), t) }))
      .find(({ problem }) => problem);
    if (wrong) {
      wrong.each.refuse();
      return say(`${wrong.each.option.shown}: ${wrong.problem}`);
    }
    const options = {};
    for (const { option, value } of fields) {
      const given = value();
      if (given !== '') options[option.name] = given instanceof File ? await uploaded(given) : given;
    }
    await page.act('command', { name: command.name, options });
    page.used();
    showWords();
    text.focus();
  }

  showWords();
  return {
    /** Another channel, person or language: what was being typed for them goes. */
    reset() {
      text.value = '';
      say();
      showWords();
    },
    /** Written in another channel from now on; a command that is being filled in stays. */
    renamePlace: () => command ?? label(),
    relabel: () => (command ? showCommand() : label()),
    /** A line from an address. */
    type(line) {
      text.value = line;
      typed();
    },
    typed: () =>
      command ? lineOf(command, new Map(fields.map(({ option, value }) => [option.name, value()]))) : text.value,
    focus: () => text.focus(),
  };
}
