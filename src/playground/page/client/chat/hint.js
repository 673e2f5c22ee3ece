/* What a person who is new here needs to know next: gone when words of theirs were heard. */

import { byId, el } from '../dom.js';

/** The first channel of text, and of voice: where a new member begins. */
const FIRST_PLACE = 'general';
const FIRST_VOICE = 'General';
/** Reading out begins sooner, where it is on. */
const READ_WITHIN_MS = 4_000;

/** Remembered over a reload. */
const HEARD = 'crier-heard-own-words';

const START_WITH = (setting) => `npm run playground -- --set ${setting}=on`;

export function createHint(page) {
  const { t } = page;
  let arrived = false;
  let heardOnce = sessionStorage.getItem(HEARD) !== null;
  let saidPlain = false;
  let plainTimer;
  let heardAtMs = 0;

  const takesSay = () => page.commands().some(({ name }) => name === 'say');

  /** The words of the hint, and the control that does what they say. */
  function next() {
    if (page.place() === '@bot') {
      const go = el(
        'button',
        { type: 'button', class: 'button secondary', onclick: () => page.go(FIRST_PLACE) },
        t('goTo', FIRST_PLACE),
      );
      return [takesSay() ? t('hintDirect') : withoutDirectUse(), go];
    }
    const { voice } = page.me();
    if (!voice) {
      const join = el(
        'button',
        { type: 'button', class: 'button success', onclick: () => page.try('join', { channel: FIRST_VOICE }) },
        `${t('join')}: ${FIRST_VOICE}`,
      );
      return [t('hintJoin'), join];
    }
    return [t('hint', page.names.channel(voice.channelId) ?? '')];
  }

  /** Only the owner's commands are there, which Discord shows to everybody. */
  function withoutDirectUse() {
    const owners = [...new Set(page.commands().map(({ name }) => `/${name.split(' ')[0]}`))].join(', ');
    const off = t('hintDirectOff', START_WITH('DIRECT_USE'));
    return page.me().isOwner && owners !== '' ? `${off} ${t('ownersCommands', owners)}` : off;
  }

  function renderEmpty() {
    const key = page.place() !== '@bot' ? 'empty' : takesSay() ? 'emptyDirect' : 'emptyDirectOff';
    byId('empty-words').textContent = t(key);
  }

  let shown = '';

  function render() {
    if (!page.me()) return;
    renderEmpty();
    const isHidden = !arrived || (heardOnce && page.place() !== '@bot');
    const [words, control] = next();
    const key = JSON.stringify([isHidden, words, control?.textContent]);
    // A button that is pressed stays in place.
    if (key === shown) return;
    shown = key;
    byId('hint').hidden = isHidden;
    byId('hint').replaceChildren(el('span', {}, words), ...(control ? [control] : []));
  }

  function sayPlain(words) {
    saidPlain = true;
    byId('plain').textContent = words;
  }

  /** Another text, place, person or language: what was said of the message before is over. */
  function rest() {
    clearTimeout(plainTimer);
    byId('plain').textContent = '';
  }

  return {
    render,
    arrive() {
      arrived = true;
      render();
    },
    /** Sound of the bot. */
    heard(use) {
      heardAtMs = Date.now();
      if (heardOnce || use?.command !== 'say' || use.by !== page.me().displayName) return;
      heardOnce = true;
      sessionStorage.setItem(HEARD, '1');
      byId('plain').textContent = '';
      render();
    },
    /** An ordinary message was posted: said once that it is not spoken, where that is so. */
    wrote() {
      rest();
      if (saidPlain) return;
      if (page.place() === '@bot') return sayPlain(t('plainDirect'));
      if (!page.view().frame.readsMessages) return sayPlain(t('plainOff', START_WITH('READ_MESSAGES')));
      const postedAtMs = Date.now();
      plainTimer = setTimeout(() => {
        // Who is in no voice channel hears nothing of what is spoken.
        if (heardAtMs < postedAtMs && page.me().voice)
          sayPlain(t('plainUnread', `/settings read channel:${page.place()}`));
      }, READ_WITHIN_MS);
    },
    rest,
  };
}
