/* The input box below the messages: takes text or a command line, and suggests completions. */

import { uploaded } from './connection.js';
import { byId, el } from './dom.js';

/** Asks for suggestions only after a pause in typing, as Discord's client does. */
const SUGGEST_AFTER_MS = 150;

export function createComposer(page, onSent) {
  const text = byId('words');
  const list = byId('suggestions');
  const file = byId('file');
  /** `part` is the end of the line that a suggestion replaces, and `active` the index of the selected one, or -1. */
  let part = '';
  let active = -1;
  let timer;
  let sending = false;

  function close() {
    clearTimeout(timer);
    list.hidden = true;
    list.replaceChildren();
    text.removeAttribute('aria-activedescendant');
    active = -1;
  }

  function mark(index) {
    active = index;
    for (const [at, row] of [...list.children].entries()) row.setAttribute('aria-selected', String(at === active));
    const row = list.children[active];
    row?.scrollIntoView({ block: 'nearest' });
    if (row) text.setAttribute('aria-activedescendant', row.id);
  }

  function choose(choice) {
    text.value = text.value.slice(0, text.value.length - part.length) + choice;
    close();
    text.focus();
    typed();
  }

  async function suggest() {
    const line = text.value;
    const offered = await page.act('complete', { line }).catch(() => undefined);
    // Suggestions that arrive after the line has changed or was sent are dropped.
    if (!offered || text.value !== line || sending) return;
    close();
    part = offered.part;
    list.replaceChildren(
      ...offered.choices.map(({ text: choice, about }, index) =>
        el(
          'div',
          {
            role: 'option',
            id: `suggestion-${index}`,
            'aria-selected': 'false',
            onpointerdown: (event) => event.preventDefault(),
            onclick: () => choose(choice),
          },
          el('strong', {}, choice),
          about && el('span', { class: 'quiet' }, about),
        ),
      ),
    );
    list.hidden = offered.choices.length === 0;
  }

  /** Makes the input box as high as its text or its placeholder, up to seven lines. */
  function setHeight() {
    text.style.height = 'auto';
    text.style.height = `${Math.min(text.scrollHeight + text.offsetHeight - text.clientHeight, 160)}px`;
  }

  function typed() {
    page.problem('');
    setHeight();
    close();
    if (text.value.startsWith('/')) timer = setTimeout(suggest, SUGGEST_AFTER_MS);
  }

  async function send() {
    const line = text.value.trim();
    if (sending || (line === '' && file.files.length === 0)) return;
    sending = true;
    close();
    page.problem('');
    try {
      await page.send(line, await Promise.all([...file.files].map(uploaded)));
      onSent();
      text.value = '';
      file.value = '';
      typed();
    } catch (error) {
      page.problem(error.message);
    } finally {
      sending = false;
    }
  }

  // The header is as wide as the input box, whose own height would make the observer loop.
  new ResizeObserver(setHeight).observe(byId('place').parentElement);
  text.addEventListener('input', typed);
  text.addEventListener('blur', close);
  text.addEventListener('keydown', (event) => {
    const rows = [...list.children];
    if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) {
      if (active >= 0) rows[active].click();
      else send();
    } else if (rows.length === 0) return;
    else if (event.key === 'ArrowDown') mark((active + 1) % rows.length);
    else if (event.key === 'ArrowUp') mark((active - 1 + rows.length) % rows.length);
    else if (event.key === 'Tab' && !event.shiftKey) rows[Math.max(active, 0)].click();
    else if (event.key === 'Escape') close();
    else return;
    event.preventDefault();
  });
  // As in Discord, typed letters go into the input box, except in another field or a dialog. A menu keeps letters,
  // which select a choice, but not the slash of a command.
  document.addEventListener('keydown', ({ key, ctrlKey, metaKey, altKey, target }) => {
    if (key.length > 1 || key === ' ' || ctrlKey || metaKey || altKey) return;
    if (target.closest('input[type="text"], textarea, dialog') || (key !== '/' && target.closest('select'))) return;
    text.focus();
  });
  byId('composer').addEventListener('submit', (event) => {
    event.preventDefault();
    send();
  });

  return {
    write(line) {
      text.value = line;
      text.focus();
      typed();
    },
    render() {
      const { place } = page.screen;
      const words = `Message ${place === '@bot' ? '@Crier' : `#${place}`}, or /say and your words`;
      text.placeholder = words;
      text.setAttribute('aria-label', words);
      setHeight();
    },
  };
}
