/* The page of the playground: everything on it comes from the loopback Discord over one WebSocket. */

import { openSession } from '/session.js';
import { createComposer } from './composer.js';
import { openConnection } from './connection.js';
import { byId } from './dom.js';
import { createFaults } from './faults.js';
import { createFirstVisit } from './first-visit.js';
import { createForm } from './form.js';
import { createLog } from './log.js';
import { createMessages } from './messages.js';
import { createPlayer } from './player.js';
import { renderRooms, showSpeaker } from './rooms.js';

const CHANNEL_TYPES = { text: 0, voice: 2, stage: 13, forum: 15, thread: 11 };
/** How long a caption on the page stays after the speaker's last audio packet, in milliseconds. */
const CAPTION_MS = 900;
/** The panel *Behind the scenes* is closed on a first visit. */
const PANEL_STORED = 'crier-behind';

/** The latest state from the playground, and the acts of the acting member: all parts of the page share them. */
const page = {
  screen: undefined,
  me: () => page.screen?.members.find(({ id }) => id === page.screen.me),
  member: (id) => page.screen?.members.find((member) => member.id === id),
  channel: (id) => page.screen?.channels.find((channel) => channel.id === id),
  /** The users, roles or channels that a menu offers, by the menu's component type. */
  everything(menu, kinds = []) {
    const { members, roles, channels } = page.screen;
    const people = members.map(({ id, displayName }) => ({ label: displayName, value: id }));
    const named = Object.entries(roles).map(([value, name]) => ({ label: `@${name.replace(/^@/, '')}`, value }));
    const places = channels
      .filter(({ kind }) => kinds.length === 0 || kinds.includes(CHANNEL_TYPES[kind]))
      .map(({ id, name, kind }) => ({
        label: `${kind === 'voice' || kind === 'stage' ? '♪ ' : '#'}${name}`,
        value: id,
      }));
    return { 5: people, 6: named, 7: [...people, ...named], 8: places }[menu];
  },
  act: (what, details) => connection.act(what, details),
  /** As in Discord's client, an error stays on the page until the next act. */
  async try(what, details) {
    page.problem('');
    await connection.act(what, details).catch(({ message }) => page.problem(message));
  },
  problem: (words) => {
    byId('problem').textContent = words;
  },
  async send(line, files = []) {
    await connection.act('line', { line, files });
    messages.showNewest();
  },
  write: (line) => composer.write(line),
  look: (change) => {
    Object.assign(view, change);
    return page.try('look', view);
  },
};
const view = { as: 'olga', at: 'general' };

const messages = createMessages(page);
const form = createForm(page);
const composer = createComposer(page, () => firstVisit.end());
const faults = createFaults(page);
const log = createLog();
const firstVisit = createFirstVisit(page);
const player = createPlayer((speaker) => {
  showSpeaker(speaker);
  byId('caption').classList.add('speaking');
  byId('caption').textContent = `${page.member(speaker)?.displayName ?? 'Somebody'} speaks`;
  clearTimeout(captionEnds);
  captionEnds = setTimeout(showSilence, CAPTION_MS);
});
let captionEnds;

function showSilence() {
  captionEnds = undefined;
  showSpeaker(undefined);
  byId('caption').classList.remove('speaking');
  const { voice, displayName } = page.me() ?? {};
  byId('caption').textContent = voice ? 'Silence' : `${displayName} is in no voice channel and hears nothing.`;
}

const NEWS = {
  screen({ screen }) {
    page.screen = screen;
    const { place, botOnline } = screen;
    byId('place').textContent = place === '@bot' ? 'Messages with Crier' : place;
    document.title = `${byId('place').textContent} – Crier`;
    byId('bot-state').textContent = botOnline ? 'Crier is online' : 'Crier is offline';
    byId('language').value = page.me().language;
    renderRooms(page);
    messages.render(screen.messages);
    composer.render();
    if (captionEnds === undefined) showSilence();
  },
  modal: ({ modal }) => form.show(modal),
  problem: ({ text }) => page.problem(text),
  faults: (news) => faults.render(news.faults),
  log: ({ lines, fresh }) => log.take(lines, fresh),
};

byId('act-as').addEventListener('change', ({ currentTarget }) => page.look({ as: currentTarget.value }));
byId('language').addEventListener('change', ({ currentTarget }) => page.try('language', { code: currentTarget.value }));

function showPanel(isOpen) {
  byId('behind').hidden = !isOpen;
  byId('behind-button').setAttribute('aria-expanded', String(isOpen));
  localStorage.setItem(PANEL_STORED, isOpen ? 'open' : 'closed');
  log.showNewest();
}
showPanel(localStorage.getItem(PANEL_STORED) === 'open');
byId('behind-button').addEventListener('click', () => showPanel(byId('behind').hidden));
byId('volume').addEventListener('input', ({ currentTarget }) => player.setVolume(Number(currentTarget.value)));

await openSession();
const connection = openConnection({
  onTell: (news) => NEWS[news.tell](news),
  onAudio: (packet) => player.play(packet),
  onOpen() {
    byId('lost').hidden = true;
    page.look({});
  },
  onLost() {
    byId('lost').hidden = false;
    byId('bot-state').textContent = '';
  },
});
byId('words').focus();
