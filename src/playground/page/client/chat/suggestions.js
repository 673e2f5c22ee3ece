/* The list above the box: commands, options, and the values on offer; a combobox's listbox. */

import { byId, el } from '../dom.js';

/** One list for all fields of the box: it belongs to the field that has the focus. */
export function createSuggestions({ t }) {
  const box = byId('suggestions');
  const list = byId('suggestion-list');
  let entries = [];
  let active = -1;
  let field;
  let choose = () => {};

  /** A box for several lines is no combobox, and has no such state. */
  const expand = (owner, on) => owner?.hasAttribute('aria-expanded') && owner.setAttribute('aria-expanded', String(on));

  function mark(index) {
    active = index;
    for (const [at, row] of [...list.children].entries()) row.setAttribute('aria-selected', String(at === active));
    const row = list.children[active];
    row?.scrollIntoView({ block: 'nearest' });
    if (row && field.tagName !== 'BUTTON') field.setAttribute('aria-activedescendant', row.id);
    else field?.removeAttribute('aria-activedescendant');
  }

  function close() {
    box.hidden = true;
    entries = [];
    active = -1;
    list.replaceChildren();
    byId('suggestion-count').textContent = '';
    expand(field, false);
    field?.removeAttribute('aria-activedescendant');
  }

  return {
    /** `rows`: `{ label, about, mark }`; `first` says whether Enter takes the first one without a further key. */
    open(owner, title, rows, { first, onChoose }) {
      if (field !== owner) expand(field, false);
      field = owner;
      choose = onChoose;
      entries = rows;
      byId('suggestion-title').textContent = title;
      list.setAttribute('aria-label', title);
      list.replaceChildren(
        ...rows.map(({ label, about, sign }, index) =>
          el(
            'div',
            {
              role: 'option',
              id: `suggestion-${index}`,
              'aria-selected': 'false',
              onpointerdown: (event) => event.preventDefault(),
              onclick: () => choose(entries[index]),
            },
            sign && el('span', { class: 'sign', 'aria-hidden': 'true' }, sign),
            el('span', { class: 'label' }, label),
            about && el('span', { class: 'about' }, about),
          ),
        ),
      );
      box.hidden = rows.length === 0;
      expand(owner, rows.length > 0);
      byId('suggestion-count').textContent = rows.length > 0 ? t('onOffer', rows.length) : '';
      mark(first && rows.length > 0 ? 0 : -1);
    },
    close,
    /** True where the key belonged to the list. */
    key(event) {
      if (box.hidden || entries.length === 0) return false;
      if (event.key === 'ArrowDown') mark((active + 1) % entries.length);
      else if (event.key === 'ArrowUp') mark((active - 1 + entries.length) % entries.length);
      else if ((event.key === 'Enter' || event.key === 'Tab') && active >= 0 && !event.shiftKey)
        choose(entries[active]);
      else if (event.key === 'Escape') close();
      else return false;
      event.preventDefault();
      return true;
    },
  };
}
