/* The dashboard's own script: plain DOM, text only (nothing is ever parsed as HTML). */

import { call, openSession } from './session.js';

const byId = (id) => document.getElementById(id);
const numbers = new Intl.NumberFormat('en');
const dates = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

let state = { keys: [], history: [] };
/** How often the state was asked for: an answer that a later request has overtaken is not shown. */
let refreshes = 0;

/** Makes an element: strings become text, never markup. */
function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) {
    if (attribute === 'onclick') made.addEventListener('click', value);
    else if (value !== null) made.setAttribute(attribute, value);
  }
  made.append(...children);
  return made;
}

function time(iso) {
  return iso ? element('time', { datetime: iso }, dates.format(new Date(iso))) : 'never';
}

function say(text, bad = false) {
  const message = byId('message');
  message.textContent = text;
  message.classList.toggle('bad', bad);
}

/** Runs a control's action: one at a time, errors shown as text. */
async function act(control, work) {
  if (control.getAttribute('aria-busy') === 'true') return;
  control.setAttribute('aria-busy', 'true');
  say('');
  try {
    await work();
  } catch (error) {
    say(error.message, true);
  } finally {
    control.removeAttribute('aria-busy');
  }
}

async function refresh() {
  refreshes += 1;
  const mine = refreshes;
  const answer = await call('GET', '/api/state');
  if (mine < refreshes) return;
  state = answer;
  // Until the first answer there is nothing to show.
  byId('main').hidden = false;
  byId('address').hidden = false;
  byId('balance').textContent = numbers.format(state.account.creditsLeft);
  byId('worth').textContent = state.costsMoney
    ? 'A count of your own, at the price per character that you set for each engine. What the provider of an engine charges, and what is left there, is not known here.'
    : 'One credit is one character; most emoji count as two or more. Credits cost nothing: they are for testing clients.';
  byId('api-url').textContent = state.apiUrl;
  const { name, problem } = state.engine;
  byId('engine').hidden = false;
  byId('engine').textContent = problem ?? `Speaks with ${name}`;
  byId('engine').classList.toggle('broken', problem !== null);
  showKeys();
  showHistory();
}

function showKeys() {
  const rows = state.keys.map((key) => {
    const cells = [
      element('td', {}, element('strong', {}, key.name)),
      element('td', {}, element('code', {}, key.hint)),
      element('td', {}, time(key.createdAt)),
      element('td', {}, time(key.lastUsedAt)),
    ];
    if (key.revokedAt) cells.push(element('td', { class: 'gone' }, 'Revoked ', time(key.revokedAt)));
    else cells.push(element('td', {}, element('div', { class: 'actions' }, ...keyButtons(key))));
    return element('tr', { class: key.revokedAt ? 'revoked' : null, 'data-key': key.id }, ...cells);
  });
  byId('keys').replaceChildren(...rows);
  byId('given-key').hidden = !state.keys.some(({ origin, revokedAt }) => origin === 'environment' && !revokedAt);
}

function keyButtons(key) {
  // It is replaced where it comes from: the next start would make it valid again.
  if (key.origin === 'environment') return [];
  const rotate = keyButton(key, 'Rotate', 'until it has the new one', async () => {
    const { secret } = await call('POST', `/api/keys/${key.id}/rotate`, {});
    await refresh();
    showSecret(secret);
  });
  const revoke = keyButton(key, 'Revoke', 'for good', async () => {
    await call('POST', `/api/keys/${key.id}/revoke`, {});
    await refresh();
    say(`${key.name} was revoked.`);
  });
  return [rotate, revoke];
}

function keyButton(key, label, howLong, work) {
  const warning = `${label} this key? Everything that uses ${key.name} (${key.hint}) stops working, ${howLong}.`;
  const onclick = (event) => {
    if (!confirm(warning)) return;
    act(event.currentTarget, () =>
      work().catch(async (error) => {
        // It may have been revoked in another tab.
        await refresh().catch(() => {});
        throw error;
      }),
    );
  };
  const attributes = { type: 'button', class: 'danger', 'aria-label': `${label} ${key.name}`, onclick };
  return element('button', attributes, label);
}

function showHistory() {
  const rows = state.history.map((entry) =>
    element(
      'tr',
      {},
      element('td', {}, time(entry.at)),
      element('td', { class: 'what' }, entry.what, ...(entry.isLost ? [lost()] : [])),
      element('td', {}, entry.key ?? ''),
      element('td', {}, ...(entry.requestId ? [element('code', {}, entry.requestId)] : [])),
      amount(entry),
    ),
  );
  const nothing = element('tr', {}, element('td', { colspan: '5' }, 'Nothing yet.'));
  byId('history').replaceChildren(...(rows.length > 0 ? rows : [nothing]));
}

const lost = () =>
  element('span', { class: 'lost' }, 'The speech was lost, at least in part: it may have been billed in vain.');

function amount(entry) {
  const sign = entry.amount > 0 ? '+' : '−';
  const text = `${sign}${numbers.format(Math.abs(entry.amount))}`;
  if (entry.state === 'refunded') {
    return element('td', { class: 'number' }, element('span', { class: 'refunded' }, text), ' refunded');
  }
  return element('td', { class: entry.amount > 0 ? 'number plus' : 'number' }, text);
}

function showSecret(secret) {
  byId('secret-value').textContent = secret;
  byId('copy').textContent = 'Copy';
  byId('secret').showModal();
  byId('copy').focus();
}

// The key is lost with the dialog: Escape is too easily pressed. A browser that does not know `closedby`
// knows this event.
byId('secret').addEventListener('cancel', (event) => event.preventDefault());
byId('secret').addEventListener('close', () => {
  byId('secret-value').textContent = '';
});
byId('copy').addEventListener('click', async () => {
  try {
    await navigator.clipboard.writeText(byId('secret-value').textContent);
    byId('copy').textContent = 'Copied';
  } catch {
    getSelection().selectAllChildren(byId('secret-value'));
    byId('copy').textContent = 'Selected: press Ctrl+C';
  }
});

byId('new-key').addEventListener('submit', (event) => {
  event.preventDefault();
  act(event.currentTarget, async () => {
    const { secret } = await call('POST', '/api/keys', { name: byId('key-name').value });
    byId('key-name').value = '';
    await refresh();
    showSecret(secret);
  });
});

document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'visible') refresh().catch((error) => say(error.message, true));
});

// A one-time address that is pasted into this tab changes no more than the fragment.
window.addEventListener('hashchange', () => {
  if (location.hash.includes('token=')) location.reload();
});

openSession()
  .then(refresh)
  .catch((error) => say(error.message, true));
