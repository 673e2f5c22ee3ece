/* What stands beside the chat: columns on a wide screen, drawers over it on a narrow one. */

import { byId, icon } from '../dom.js';
import { link, setLink } from '../link.js';

export const narrow = matchMedia('(width < 60rem)');

export function showSide(side) {
  setLink({ side });
  document.body.dataset.side = side;
  byId('open-scenes').setAttribute('aria-pressed', String(side === 'scenes'));
  byId('open-members').setAttribute('aria-pressed', String(side === 'members'));
}

export function closeDrawers() {
  delete document.body.dataset.rooms;
  byId('open-rooms').setAttribute('aria-expanded', 'false');
  if (narrow.matches) showSide('none');
}

for (const [id, shape] of [
  ['open-rooms', 'menu'],
  ['close-rooms', 'close'],
  ['open-scenes', 'gauge'],
  ['open-members', 'people'],
  ['close-scenes', 'close'],
  ['close-members', 'close'],
  ['copy-link', 'link'],
])
  byId(id).append(icon(shape));
byId('open-rooms').addEventListener('click', () => {
  document.body.dataset.rooms = 'open';
  byId('open-rooms').setAttribute('aria-expanded', 'true');
  byId('close-rooms').focus();
});
byId('close-rooms').addEventListener('click', () => {
  closeDrawers();
  byId('open-rooms').focus();
});
for (const side of ['scenes', 'members']) {
  byId(`open-${side}`).addEventListener('click', () => showSide(link().side === side ? 'none' : side));
  byId(`close-${side}`).addEventListener('click', () => {
    showSide('none');
    byId(`open-${side}`).focus();
  });
}
// A column of the wide screen would lie over the chat, as wide as the narrow one.
narrow.addEventListener('change', closeDrawers);
document.addEventListener('keydown', (event) => {
  if (event.key === 'Escape' && narrow.matches && (document.body.dataset.rooms || link().side !== 'none'))
    closeDrawers();
});
