/* The messages of the channel. One that changed is built anew, the others stay as they are. */

import { avatar, byId, el, icon } from '../dom.js';
import { components, embed } from './components.js';
import { fileBox } from './files.js';
import { markdown } from './markdown.js';

/** Messages of one author within so long stand below one name. */
const TOGETHER_MS = 7 * 60_000;
/** A private message that was dismissed stays away over a reload. */
const DISMISSED = 'crier-dismissed';
const KEPT_DISMISSED = 200;
const COMPONENTS_V2 = new Set([9, 10, 11, 12, 13, 14, 17]);

/** `page` has names, words, and the acts of the person. */
export function createMessages(page) {
  const list = byId('messages');
  const scroller = byId('messages-view');
  let messages = new Map();
  const built = new Map();
  const dismissed = new Set(JSON.parse(sessionStorage.getItem(DISMISSED) ?? '[]'));

  // --- the newest message stays in sight, whatever grows beside or in it, until the person scrolls away --------------

  let stayLow = true;
  let lastTop = 0;
  /** What grew below is no scrolling of the person: that goes up. Its event may still be to come. */
  const follow = () => {
    const isLow = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < 80;
    if (isLow) stayLow = true;
    else if (scroller.scrollTop < lastTop) stayLow = false;
    lastTop = scroller.scrollTop;
  };
  const goLow = () => {
    follow();
    if (!stayLow) return;
    scroller.scrollTop = scroller.scrollHeight;
    lastTop = scroller.scrollTop;
  };
  scroller.addEventListener('scroll', follow);
  const sizes = new ResizeObserver(goLow);
  sizes.observe(scroller);
  sizes.observe(list);

  function render() {
    const shown = [...messages.values()].filter(({ id }) => !dismissed.has(id)).sort((a, b) => a.atMs - b.atMs);
    let before;
    const rows = shown.map((message) => {
      const joins =
        before?.authorId === message.authorId &&
        message.atMs - before.atMs < TOGETHER_MS &&
        !message.command &&
        !message.replyTo &&
        !before.ephemeral &&
        !message.ephemeral;
      before = message;
      const key = JSON.stringify([message, joins, page.names.version]);
      const known = built.get(message.id);
      if (known?.key === key) return known.row;
      const row = build(message, joins);
      built.set(message.id, { key, row });
      return row;
    });
    // Rows in place are left alone: moving one would take the focus from a button in it.
    for (const [index, row] of rows.entries())
      if (list.children[index] !== row) list.insertBefore(row, list.children[index] ?? null);
    while (list.children.length > rows.length) list.lastElementChild.remove();
    byId('empty').hidden = rows.length > 0;
    goLow();
  }

  function build(message, joins) {
    const { t, names } = page;
    const member = names.memberOf(message.authorId);
    const author = member ?? { displayName: message.author };
    const time = new Date(message.atMs);
    const shownTime = time.toLocaleTimeString(names.language, { hour: '2-digit', minute: '2-digit' });
    const v2 = message.components.some(({ type }) => COMPONENTS_V2.has(type));
    const head = el(
      'div',
      { class: 'head' },
      el('strong', { class: member?.isBot ? 'author bot' : 'author' }, author.displayName),
      member?.isBot && el('span', { class: 'badge' }, t('app')),
      el('time', { datetime: time.toISOString() }, shownTime),
    );
    return el(
      'li',
      {
        class: `message${joins ? ' joined' : ''}${message.ephemeral ? ' ephemeral' : ''}`,
        data: { message: message.id },
      },
      message.command &&
        el(
          'p',
          { class: 'above' },
          icon('reply'),
          avatar({ displayName: message.command.user }, 'of-line'),
          el('strong', {}, message.command.user),
          ` ${t('used')} `,
          el(
            'span',
            { class: 'mention' },
            isUnderApps(message.command) ? message.command.name : `/${message.command.name}`,
          ),
        ),
      message.replyTo && above(message),
      joins ? el('time', { class: 'beside', datetime: time.toISOString() }, shownTime) : avatar(author),
      el(
        'div',
        { class: 'body' },
        !joins && head,
        message.thinking
          ? el(
              'p',
              { class: 'thinking' },
              `${author.displayName} ${t('thinking')}`,
              el('span', { class: 'dots', 'aria-hidden': 'true' }, el('i'), el('i'), el('i')),
            )
          : [
              message.content !== '' && wordsOf(message),
              message.embeds.map((each) => embed(each, names)),
              v2 ? [] : message.files.map((file) => boxOf(message, file)),
              components(message.components, message, page),
            ],
        message.ephemeral &&
          el(
            'p',
            { class: 'only-you' },
            icon('eye'),
            t('onlyYou'),
            ' · ',
            el('button', { type: 'button', class: 'text-button', onclick: () => dismiss(message.id) }, t('dismiss')),
          ),
      ),
      !message.ephemeral && !message.thinking && apps(message),
    );
  }

  /** Only what is typed begins with a slash. */
  const isUnderApps = ({ name }) => page.apps().some((app) => app.name === name);

  function wordsOf({ content, edited }) {
    const words = el('div', { class: 'words' }, markdown(content, page.names));
    if (edited) (words.lastElementChild ?? words).append(el('span', { class: 'edited' }, ` (${page.t('edited')})`));
    return words;
  }

  function above({ replyTo }) {
    const answered = messages.get(replyTo);
    if (!answered) return el('p', { class: 'above' }, icon('reply'), page.t('gone'));
    const [first] = markdown(answered.content, page.names);
    return el(
      'p',
      { class: 'above' },
      icon('reply'),
      avatar(page.names.memberOf(answered.authorId) ?? { displayName: answered.author }, 'of-line'),
      el('strong', {}, answered.author),
      ` ${first?.textContent ?? ''}`,
    );
  }

  /** Apps, as in the menu of a message. */
  function apps(message) {
    const offered = page.apps();
    if (offered.length === 0) return undefined;
    const select = el(
      'select',
      {
        class: 'apps',
        'aria-label': page.t('apps'),
        title: page.t('apps'),
        onchange: () => {
          page.app(message, select.value);
          select.value = '';
        },
      },
      el('option', { value: '' }, page.t('apps')),
      offered.map(({ name, shown }) => el('option', { value: name }, shown)),
    );
    return select;
  }

  const boxOf = (message, file) =>
    fileBox(file, {
      voice: message.voice,
      load: () => page.load(message, file.name),
      t: page.t,
      language: page.names.language,
    });

  function dismiss(id) {
    dismissed.add(id);
    sessionStorage.setItem(DISMISSED, JSON.stringify([...dismissed].slice(-KEPT_DISMISSED)));
    render();
    byId('composer').querySelector('textarea, input')?.focus();
  }

  return {
    boxOf,
    take({ changed, gone, fresh }) {
      if (fresh) {
        messages = new Map();
        built.clear();
        stayLow = true;
        lastTop = 0;
      }
      for (const id of gone) messages.delete(id);
      for (const message of changed) messages.set(message.id, message);
      render();
    },
    /** Where a message holds a file by this name. */
    file(message, name) {
      const file = message.files.find((candidate) => candidate.name === decodeURIComponent(name));
      return file && boxOf(message, file);
    },
    /** A line of Discord's own that this browser alone sees. */
    note(author, text) {
      const id = `note-${Date.now()}-${messages.size}`;
      messages.set(id, {
        id,
        author,
        authorId: page.names.botId,
        content: text,
        embeds: [],
        components: [],
        files: [],
        ephemeral: true,
        thinking: false,
        edited: false,
        atMs: Date.now(),
      });
      render();
    },
    render,
  };
}
