/* The left side: channels with who is in them and who speaks; at its foot the person who acts. */

import { avatar, byId, el, icon, iconButton } from '../dom.js';

const SHAPES = { text: 'hash', voice: 'speaker', stage: 'stage', forum: 'hash', thread: 'hash' };
const LANGUAGES = [
  ['en-US', 'English'],
  ['es-ES', 'Español'],
  ['de', 'Deutsch'],
];

export function createRooms(page) {
  const { t } = page;

  function render({ frame, place }) {
    byId('server-name').textContent = frame.server;
    const text = frame.channels.filter(({ kind }) => kind === 'text');
    const voice = frame.channels.filter(({ kind }) => kind === 'voice' || kind === 'stage');
    byId('text-channels').replaceChildren(
      ...text.map((channel) => row(channel, place)),
      el(
        'li',
        {},
        el(
          'button',
          {
            type: 'button',
            class: 'channel',
            'aria-current': place === '@bot' ? 'page' : undefined,
            onclick: () => page.go('@bot'),
          },
          avatar({ isBot: true }, 'of-channel'),
          t('directMessages'),
        ),
      ),
    );
    byId('voice-channels').replaceChildren(...voice.map((channel) => voiceRow(channel, frame, place)));
  }

  const row = (channel, place) =>
    el(
      'li',
      {},
      el(
        'button',
        {
          type: 'button',
          class: 'channel',
          'aria-current': place === channel.name ? 'page' : undefined,
          onclick: () => page.go(channel.name),
        },
        icon(SHAPES[channel.kind]),
        channel.name,
      ),
    );

  function voiceRow(channel, { members }, place) {
    const there = members.filter(({ voice }) => voice?.channelId === channel.id);
    const here = there.some(({ id }) => id === page.me()?.id);
    const count = channel.limit > 0 && el('span', { class: 'limit' }, `${there.length}/${channel.limit}`);
    return el(
      'li',
      {},
      el(
        'div',
        { class: 'voice-row' },
        el(
          'button',
          {
            type: 'button',
            class: 'channel',
            'aria-current': place === channel.name ? 'page' : undefined,
            title: t('openChat'),
            onclick: () => page.go(channel.name),
          },
          icon(SHAPES[channel.kind]),
          channel.name,
          count,
        ),
        here
          ? el(
              'button',
              {
                type: 'button',
                class: 'join here',
                'aria-label': `${t('leave')}: ${channel.name}`,
                onclick: () => page.try('leave'),
              },
              t('leave'),
            )
          : el(
              'button',
              {
                type: 'button',
                class: 'join',
                'aria-label': `${t('join')}: ${channel.name}`,
                onclick: () => page.try('join', { channel: channel.name }),
              },
              t('join'),
            ),
      ),
      there.length > 0 &&
        el(
          'ul',
          { class: 'in-voice' },
          there.map((member) => inVoice(member)),
        ),
    );
  }

  const inVoice = (member) =>
    el(
      'li',
      { data: { member: member.id } },
      avatar(member, 'of-row'),
      el('span', { class: 'name' }, member.displayName),
      // Red is what a moderator did, as in Discord's client; a bot deafens itself, and hears nobody.
      member.voice.mute || member.voice.suppress
        ? state('micOff', t('mutedBy'), 'forced')
        : member.voice.selfMute && state('micOff', t('muted')),
      member.voice.deaf
        ? state('earsOff', t('deafenedBy'), 'forced')
        : member.voice.selfDeaf && state('earsOff', t('deaf')),
    );

  const state = (shape, name, kind = '') =>
    el('span', { class: `state ${kind}`, role: 'img', 'aria-label': name, title: name }, icon(shape));

  function renderSelf({ frame }) {
    const me = page.me();
    const voice = me.voice;
    const channel = voice && frame.channels.find(({ id }) => id === voice.channelId);
    byId('self').replaceChildren(
      ...(channel
        ? [
            el(
              'p',
              { class: 'connected' },
              icon('speaker'),
              el('span', {}, t('inVoice'), el('strong', {}, channel.name)),
              iconButton('leave', t('leave'), { onclick: () => page.try('leave') }),
            ),
          ]
        : []),
      el(
        'div',
        { class: 'me' },
        avatar(me),
        el(
          'div',
          { class: 'who' },
          el('label', { class: 'hidden', for: 'act-as' }, t('actAs')),
          el(
            'select',
            { id: 'act-as', onchange: (event) => page.become(event.currentTarget.value) },
            people(frame).map((member) =>
              el('option', { value: member.name, selected: member.id === me.id }, member.displayName),
            ),
          ),
          el('span', { class: 'role' }, page.roleOf(me)),
        ),
        voice &&
          iconButton(voice.selfMute || voice.mute ? 'micOff' : 'mic', t(voice.selfMute ? 'unmute' : 'mute'), {
            'aria-pressed': String(voice.selfMute),
            onclick: () => page.try('mute', { on: !voice.selfMute }),
          }),
        voice &&
          iconButton(voice.selfDeaf || voice.deaf ? 'earsOff' : 'ears', t(voice.selfDeaf ? 'undeafen' : 'deafen'), {
            'aria-pressed': String(voice.selfDeaf),
            onclick: () => page.try('deafen', { on: !voice.selfDeaf }),
          }),
      ),
      el(
        'div',
        { class: 'language' },
        el('label', { for: 'language' }, t('language')),
        el(
          'select',
          { id: 'language', onchange: (event) => page.try('language', { code: event.currentTarget.value }) },
          LANGUAGES.map(([code, name]) => el('option', { value: code, selected: code === me.language }, name)),
        ),
      ),
    );
  }

  let shownSelf = '';

  return {
    render(view) {
      render(view);
      // A list that is open would close under the pointer: nothing is built anew without a reason.
      const self = JSON.stringify([page.me(), view.frame.channels, people(view.frame).map(({ name }) => name)]);
      if (self === shownSelf) return;
      shownSelf = self;
      const focused = document.activeElement?.id;
      renderSelf(view);
      if (focused === 'act-as' || focused === 'language') byId(focused).focus();
    },
    /** The ring around who speaks. */
    speaks(id, level) {
      for (const row of document.querySelectorAll('.in-voice [data-member]')) {
        const on = row.dataset.member === id && level > 0;
        row.classList.toggle('speaking', on);
      }
    },
  };
}

export const people = ({ members }) => members.filter(({ isBot }) => !isBot);
