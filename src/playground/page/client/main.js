/* The page of the playground: everything on it comes from the loopback Discord over one WebSocket. */

import { openSession, words as signInWords } from '/session.js';
import { createComposer } from './chat/composer.js';
import { createHint } from './chat/hint.js';
import { createMessages } from './chat/messages.js';
import { createModal } from './chat/modal.js';
import { openConnection } from './connection.js';
import { byId, el, icon } from './dom.js';
import { fullLink, link, readLink, setLink } from './link.js';
import { createNames } from './names.js';
import { createMembers } from './panel/members.js';
import { createRooms, people } from './panel/rooms.js';
import { createScenes } from './panel/scenes.js';
import { closeDrawers, narrow, showSide } from './panel/sides.js';
import { createTimeline } from './panel/timeline.js';
import { createCaption } from './sound/caption.js';
import { createPlayer } from './sound/player.js';
import { createVolume } from './sound/volume.js';
import { aboutFault, languageOf, problemIn, textIn, translate } from './texts.js';

const view = { frame: undefined, place: 'general' };
let language = languageOf(navigator.language);
let pendingLanguage = navigator.language;
let isFirst = true;
let stoodStill = false;
/** Long enough to be read. */
const BACK_SHOWN_MS = 15_000;

const t = (key, ...values) => textIn(language, key, ...values);
const me = () => view.frame?.members.find(({ id }) => id === view.frame.me);
const names = createNames(view, { me, language: () => language });

/** The prompt's name of a member, where a refusal begins with it, is the one that the page shows. */
const withShownName = (words) =>
  words.replace(/^\w+/, (name) => view.frame?.members.find((member) => member.name === name)?.displayName ?? name);
const wordsOf = ({ message }) =>
  message === 'closed' ? t('noPlayground') : problemIn(language, withShownName(message));
const problem = (error) => {
  byId('problem').textContent = wordsOf(error);
};
const noProblem = () => {
  byId('problem').textContent = '';
};

/** What the parts of the page share. */
const page = {
  t,
  names,
  me,
  link,
  setLink,
  view: () => view,
  /** The name of the member whose ears are used. */
  ears: () => link().hear || link().as,
  number: (value) => value.toLocaleString(names.language),
  words: wordsOf,
  about: (fault) => aboutFault(language, fault),
  volume: () => volume.value(),
  wrote: () => hint.wrote(),
  used: () => hint.rest(),
  place: () => view.place,
  commands: () => view.frame?.commands.slash ?? [],
  apps: () => view.frame?.commands.apps ?? [],
  act: (what, details) => connection.act(what, details),
  /** An act whose refusal is shown where Discord's client shows it, until the next one. */
  try(what, details) {
    noProblem();
    return connection.act(what, details).catch(problem);
  },
  press: (message, control, at) => busy(at, connection.act('press', { message: message.id, control })),
  pick: (message, control, values, at) => busy(at, connection.act('pick', { message: message.id, control, values })),
  app: (message, command) => page.try('app', { message: message.id, command }),
  load: (message, name) => connection.act('file', { message: message.id, name }),
  file: (message, name) => messages.file(message, name),
  go(place) {
    look({ at: place });
    composer.reset();
    hint.rest();
    closeDrawers();
    if (!narrow.matches) composer.focus();
  },
  become(name) {
    look({ as: name });
    composer.reset();
    hint.rest();
  },
  roleOf(member) {
    const role = member.isBot
      ? t('bot')
      : member.isOwner
        ? t('admin')
        : view.frame.notes[member.name] === 'muted'
          ? t('mutedMember')
          : t('member');
    const spoken = new Intl.DisplayNames([language], { type: 'language' }).of(member.language.slice(0, 2));
    return member.isBot || member.language === 'en-US' ? role : `${role} · ${spoken}`;
  },
};

async function busy(control, work) {
  control.setAttribute('aria-busy', 'true');
  noProblem();
  await work.catch(problem);
  control.removeAttribute('aria-busy');
}

// --- parts ---------------------------------------------------------------------------------------------------------

const messages = createMessages(page);
const modal = createModal(page);
const rooms = createRooms(page);
const members = createMembers(page);
const timeline = createTimeline(page);
const scenes = createScenes(page);
const composer = createComposer(page);
const caption = createCaption({ page, rooms, timeline });
const hint = createHint(page);
const player = createPlayer({
  onLevel(heard) {
    caption.showLevel(heard);
    if (heard.level > 0) hint.heard(timeline.spoken());
    else scenes.renderVoice(player.counts);
  },
  onState: (on) => (byId('sound-on').hidden = on),
});
const volume = createVolume((value) => {
  player.setVolume(value);
  caption.rest();
});

// --- sound ---------------------------------------------------------------------------------------------------------

byId('sound-on').addEventListener('click', () => player.wake());
byId('hear').addEventListener('change', (event) => look({ hear: event.currentTarget.value }));

// --- whose eyes and ears -------------------------------------------------------------------------------------------

/** False where the playground has no such member or channel. */
async function look(change) {
  const { as, at } = setLink(change);
  try {
    const { faults } = await connection.act('look', { as, at, hear: page.ears() });
    view.place = at;
    scenes.renderFaults(faults);
    caption.rest();
    return true;
  } catch (error) {
    problem(error);
    return false;
  }
}

/** What an address asks for besides: its line is typed, its faults are switched on. */
async function arrive() {
  const { faults, type } = link();
  // A link may name a member or a channel of another playground.
  if (!(await look({}))) await look({ as: 'olga', at: 'general', hear: '' });
  if (pendingLanguage && languageOf(pendingLanguage) !== 'en' && me()?.language === 'en-US')
    await page.try('language', { code: languageOf(pendingLanguage) === 'es' ? 'es-ES' : languageOf(pendingLanguage) });
  pendingLanguage = undefined;
  hint.arrive();
  // Any web site can open a window with such an address.
  if (faults !== '' && (isPrintedAddress || confirm(t('askFaults', faults))))
    for (const fault of faults.split(',').filter(Boolean)) await scenes.set(fault.replace(':', ' '));
  if (type !== '') composer.type(type);
  if (!narrow.matches) composer.focus();
}

// --- news ----------------------------------------------------------------------------------------------------------

const NEWS = {
  frame({ frame }) {
    const before = me()?.language;
    const moved = frame.place !== view.frame?.place;
    view.frame = frame;
    view.place = frame.place;
    if (moved) composer.renamePlace();
    if (me().language !== before) speak(languageOf(me().language));
    byId('place').textContent = frame.place === '@bot' ? t('directMessages') : frame.place;
    document.title = `${byId('place').textContent} – Crier`;
    const kind = frame.channels.find(({ name }) => name === frame.place)?.kind;
    byId('place-sign').replaceChildren(icon(kind === undefined ? 'people' : kind === 'text' ? 'hash' : 'speaker'));
    byId('bot-state').textContent = t(frame.botOnline ? 'botOnline' : 'botOffline');
    byId('bot-state').classList.toggle('off', !frame.botOnline);
    rooms.render(view);
    members.render(frame);
    renderEars(frame);
    messages.render();
    hint.render();
    caption.rest();
  },
  messages: (news) => messages.take(news),
  modal: (news) => modal.show(news.modal),
  problem: ({ text }) => problem(new Error(text)),
  unanswered: () => messages.note('Discord', t('unanswered')),
  utterance: ({ utterance }) => timeline.take(utterance),
  voice({ voice }) {
    scenes.takeVoice(voice);
    scenes.renderVoice(player.counts);
  },
  log: ({ lines, fresh }) => scenes.takeLog(lines, fresh),
};

function renderEars(frame) {
  const select = byId('hear');
  const options = [
    ['', t('ownEars')],
    ...people(frame).map(({ name, displayName, voice }) => [name, voice ? displayName : t('earsNowhere', displayName)]),
  ];
  const key = JSON.stringify(options);
  if (select.dataset.key !== key) {
    select.dataset.key = key;
    select.replaceChildren(...options.map(([value, label]) => el('option', { value }, label)));
  }
  select.value = link().hear;
}

function speak(next) {
  if (language !== next) noProblem();
  language = next;
  document.documentElement.lang = next;
  translate(document, t);
  Object.assign(signInWords, {
    silent: t('noPlayground'),
    noAddress: t('noAddress'),
    used: t('usedAddress'),
    refused: (status) => t('refusedStatus', status),
  });
  composer.relabel();
  hint.rest();
  timeline.render();
  if (!view.frame) return;
  scenes.renderFaults();
  scenes.renderVoice(player.counts);
  byId('hear').dataset.key = '';
  for (const id of ['copied', 'fault-said']) byId(id).textContent = '';
}

// --- the way of a text, and links ---------------------------------------------------------------------------------

byId('uses').addEventListener('change', (event) => {
  setLink({ use: event.currentTarget.value });
  timeline.render();
});
byId('copy-link').addEventListener('click', async () => {
  const address = fullLink(composer.typed());
  const copied = byId('copied');
  try {
    await navigator.clipboard.writeText(address);
    copied.textContent = t('copied');
  } catch {
    copied.textContent = address;
  }
});

// --- start ---------------------------------------------------------------------------------------------------------

speak(language);
// The token of a one-time address comes last; the state of a link stands before it.
const hash = location.hash;
const isPrintedAddress = /[#&]token=/.test(hash);
await openSession();
readLink(hash.replace(/[#&]?token=[\w-]+$/, ''));
if (narrow.matches) setLink({ side: 'none' });
showSide(link().side);
view.place = link().at;

const connection = openConnection({
  onTell: (news) => NEWS[news.tell](news),
  onSound: (buffer) => player.play(buffer),
  onOpen() {
    byId('lost').hidden = true;
    if (isFirst) arrive();
    else {
      look({});
      sayConnected(t(stoodStill ? 'stoodStill' : 'connectedAgain'));
    }
    isFirst = false;
  },
  onLost(reason) {
    stoodStill = reason.stoodStill;
    byId('lost').textContent = t(reason.hasEnded ? 'ended' : 'lost');
    byId('lost').hidden = false;
    byId('bot-state').textContent = '';
  },
});

function sayConnected(words) {
  const back = byId('back');
  back.textContent = words;
  back.hidden = false;
  setTimeout(() => (back.hidden = true), BACK_SHOWN_MS);
}

window.addEventListener('hashchange', () => location.reload());
