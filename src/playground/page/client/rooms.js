/* The left side of the page: channels with their members and speakers, and the acting member. */

import { avatar, byId, el, offer } from './dom.js';

const SIGNS = { text: '#', voice: '♪', stage: '♪' };

export function renderRooms(page) {
  const { server, channels, members, place } = page.screen;
  byId('server-name').textContent = server;
  const shown = channels.filter(({ kind }) => kind !== 'thread' && kind !== 'forum');
  byId('channels').replaceChildren(
    ...shown.map((channel) => channelRow(page, channel)),
    el('li', {}, goButton(page, '@bot', [avatar('Crier', true), 'Messages with Crier'])),
  );
  for (const button of document.querySelectorAll('[data-place]'))
    button.setAttribute('aria-current', button.dataset.place === place ? 'page' : 'false');
  const people = members.filter(({ isBot }) => !isBot);
  const roleOf = ({ isOwner, language }) =>
    [isOwner && ' (owner)', language !== 'en-US' && ` (${language})`].filter(Boolean).join('');
  offer(
    byId('act-as'),
    people.map((member) => [member.name, `${member.displayName}${roleOf(member)}`]),
    page.me().name,
  );
}

const goButton = (page, place, words) =>
  el('button', { type: 'button', class: 'channel', data: { place }, onclick: () => page.look({ at: place }) }, words);

function channelRow(page, { id, name, kind, limit }) {
  const there = page.screen.members.filter(({ voice }) => voice?.channelId === id);
  const isHere = there.some((member) => member.id === page.screen.me);
  const full = limit > 0 ? ` ${there.length}/${limit}` : '';
  return el(
    'li',
    {},
    el(
      'div',
      { class: 'channel-row' },
      goButton(page, name, [`${SIGNS[kind]} ${name}${full}`]),
      (kind === 'voice' || kind === 'stage') &&
        el(
          'button',
          {
            type: 'button',
            class: 'button small',
            'aria-label': `${isHere ? 'Leave' : 'Join'}: ${name}`,
            onclick: () => (isHere ? page.try('leave') : page.try('join', { channel: name })),
          },
          isHere ? 'Leave' : 'Join',
        ),
    ),
    there.length > 0 && el('ul', { class: 'in-voice' }, there.map(inVoice)),
  );
}

function inVoice({ id, displayName, isBot, voice }) {
  const states = [
    (voice.mute || voice.suppress || voice.selfMute) && 'muted',
    // Bots usually deafen themselves, so the page does not show a bot that deafens itself as deafened.
    (voice.deaf || (voice.selfDeaf && !isBot)) && 'deafened',
  ].filter(Boolean);
  const state = states.length > 0 && el('span', { class: 'quiet' }, states.join(', '));
  return el('li', { data: { member: id } }, avatar(displayName, isBot), displayName, state);
}

export function showSpeaker(id) {
  for (const row of document.querySelectorAll('[data-member]'))
    row.classList.toggle('speaking', row.dataset.member === id);
}
