/* The members to speak as, each with what makes them worth trying. */

import { avatar, byId, el } from '../dom.js';

export function createMembers(page) {
  const { t } = page;
  return {
    render(frame) {
      const me = page.me();
      byId('members').replaceChildren(
        ...frame.members.map((member) =>
          el(
            'li',
            { class: 'member' },
            avatar(member),
            el(
              'div',
              { class: 'who' },
              el('strong', {}, member.displayName, member.isBot && el('span', { class: 'badge' }, t('app'))),
              el('span', { class: 'role' }, page.roleOf(member)),
            ),
            !member.isBot &&
              (member.id === me.id
                ? el('span', { class: 'you' }, t('you'))
                : el(
                    'button',
                    {
                      type: 'button',
                      class: 'button secondary',
                      'aria-label': t('actAsName', member.displayName),
                      onclick: () => page.become(member.name),
                    },
                    t('actAs'),
                  )),
          ),
        ),
      );
    },
  };
}
