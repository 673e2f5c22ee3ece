/* Shows the messages of the channel, and rebuilds only those that changed. */

import { components, fileBox } from './components.js';
import { avatar, byId, el } from './dom.js';
import { createFollowing } from './following.js';
import { firstWords, markdown } from './markdown.js';

const COMPONENTS_V2 = new Set([9, 10, 14, 17]);

export function createMessages(page) {
  const list = byId('messages');
  const newest = byId('newest');
  const built = new Map();
  let shown;

  const view = createFollowing(byId('messages-view'), () => {
    newest.hidden = true;
  });
  newest.addEventListener('click', view.showNewest);

  function build(message) {
    const { author, authorId, command, content, ephemeral, thinking, edited, files } = message;
    const isBot = page.member(authorId)?.isBot;
    const isV2 = message.components.some(({ type }) => COMPONENTS_V2.has(type));
    const words = el('div', { class: 'words' }, markdown(content, page));
    if (edited) (words.lastElementChild ?? words).append(el('span', { class: 'quiet' }, ' (edited)'));
    const parts = thinking
      ? el('p', { class: 'quiet' }, `${author} is thinking …`)
      : [
          content !== '' && words,
          isV2 ? [] : files.map((file) => fileBox(page, message, file)),
          components(message.components, message, page),
        ];
    return el(
      'li',
      { class: ephemeral ? 'message ephemeral' : 'message' },
      avatar(author, isBot),
      el(
        'div',
        { class: 'body' },
        command && el('p', { class: 'quiet' }, `${command.user} used ${command.name}`),
        message.replyTo &&
          el(
            'p',
            { class: 'quiet' },
            `↩ ${firstWords(page.screen.messages.find(({ id }) => id === message.replyTo)?.content ?? '(deleted)', page)}`,
          ),
        el(
          'p',
          { class: 'head' },
          el('strong', {}, author),
          isBot && el('span', { class: 'badge' }, 'App'),
          timeOf(message),
        ),
        parts,
        ephemeral && el('p', { class: 'quiet' }, 'Only you can see this'),
      ),
      !ephemeral && !thinking && apps(message),
    );
  }

  function apps(message) {
    const { apps: offered } = page.screen;
    if (offered.length === 0) return undefined;
    const use = ({ currentTarget: select }) => {
      page.try('app', { message: message.id, command: select.value }).then(view.showNewest);
      select.value = '';
    };
    return el(
      'select',
      { class: 'apps', 'aria-label': 'Apps', onchange: use },
      el('option', { value: '' }, 'Apps'),
      offered.map(({ name, shown }) => el('option', { value: name }, shown)),
    );
  }

  /** A message is not drawn again while one of its buttons is pressed, because the click would be lost. */
  const isPressed = (row) => row.querySelector('button:active') !== null;
  let isLate = false;
  for (const name of ['mouseup', 'keyup'])
    document.addEventListener(name, () => {
      // The browser sends the event 'click' after `mouseup` or `keyup`, so the message is drawn again only afterwards.
      if (isLate) setTimeout(() => render(page.screen.messages));
    });

  function render(messages) {
    const { me, place } = page.screen;
    const isOther = shown !== `${me} ${place}`;
    shown = `${me} ${place}`;
    const isNew = messages.some(({ id }) => !built.has(id));
    isLate = false;
    // When a message is drawn again, the focus returns to the control that had it.
    const { activeElement: focused } = document;
    const isSame = ({ dataset }) => dataset.control === focused.dataset.control;
    let again;
    const rows = messages.map((message) => {
      const key = JSON.stringify([message, page.screen.apps, page.screen.members.length]);
      const known = built.get(message.id);
      if (known?.key === key) return known.row;
      if (known && isPressed(known.row)) {
        isLate = true;
        return known.row;
      }
      const row = build(message);
      built.set(message.id, { key, row });
      if (known?.row.contains(focused)) again = [...row.querySelectorAll('[data-control]')].find(isSame);
      return row;
    });
    // Message rows already in place are not moved, because moving a row would take the focus from its buttons.
    for (const [index, row] of rows.entries())
      if (list.children[index] !== row) list.insertBefore(row, list.children[index] ?? null);
    while (list.children.length > rows.length) list.lastElementChild.remove();
    again?.focus({ preventScroll: true });
    byId('empty').hidden = rows.length > 0;
    if (isOther) view.showNewest();
    else if (!view.follow() && isNew) newest.hidden = false;
  }

  return { showNewest: view.showNewest, render };
}

function timeOf({ atMs }) {
  const time = new Date(atMs);
  const shown = time.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' });
  return el('time', { datetime: time.toISOString() }, shown);
}
