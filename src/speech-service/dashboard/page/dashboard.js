/* The dashboard's script: plain DOM, and text only (never parsed as HTML). */

import { call, openSession } from './session.js';

const byId = (id) => document.getElementById(id);
const numbers = new Intl.NumberFormat('en');
const dates = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const time = (iso) => (iso ? dates.format(new Date(iso)) : 'never');

/** Makes an element. Strings become text and are never parsed as markup. */
function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
  made.append(...children);
  return made;
}

const row = (...cells) => element('tr', {}, ...cells.map((cell) => element('td', {}, cell)));

function say(text, bad = false) {
  byId('message').textContent = text;
  byId('message').classList.toggle('bad', bad);
}

/** Ignores further clicks while the action of a button or form runs, and shows errors as text. */
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
  const { account, keys, usage, charges, costsMoney, engine, apiUrl } = await call('GET', '/api/state');
  for (const id of ['main', 'address', 'engine']) byId(id).hidden = false;
  byId('balance').textContent = numbers.format(account.creditsLeft);
  byId('worth').textContent = costsMoney
    ? 'A count of your own, at the price per character that you set for each engine. What the provider of an engine charges, and what is left there, is not known here.'
    : 'Speech costs nothing here. Most emoji count as two characters or more.';
  byId('credits').hidden = !costsMoney;
  for (const heading of document.querySelectorAll('.unit')) heading.textContent = costsMoney ? 'Credits' : 'Characters';
  byId('api-url').textContent = apiUrl;
  byId('engine').textContent = engine.problem ?? `Speaks with ${engine.name}`;
  byId('engine').classList.toggle('bad', engine.problem !== null);
  byId('keys').replaceChildren(...keys.map(keyRow));
  byId('given-key').hidden = !keys.some(({ origin, revokedAt }) => origin === 'environment' && !revokedAt);
  const history = charges.map(({ createdAt, voice, keyName, requestId, amount, state }) =>
    row(
      time(createdAt),
      voice,
      keyName ?? '',
      element('code', {}, requestId),
      numbers.format(amount),
      state === 'lost' ? 'The speech was lost, at least in part: it may have been billed in vain.' : state,
    ),
  );
  byId('history').replaceChildren(...(history.length > 0 ? history : [row('Nothing yet.')]));
  const days = usage.map(({ day, requests, amount }) => row(day, numbers.format(requests), numbers.format(amount)));
  byId('usage').replaceChildren(...(days.length > 0 ? days : [row('Nothing in the last 14 days.')]));
}

function keyRow(key) {
  const { name, hint, createdAt, lastUsedAt, revokedAt, origin } = key;
  const made = row(
    element('strong', {}, name),
    element('code', {}, hint),
    time(createdAt),
    time(lastUsedAt),
    // An API key from the environment has no button to revoke it: the next start would make the key valid again.
    revokedAt ? `Revoked ${time(revokedAt)}` : origin === 'environment' ? '' : revokeButton(key),
  );
  made.classList.toggle('revoked', revokedAt !== null);
  return made;
}

function revokeButton({ id, name, hint }) {
  const button = element('button', { type: 'button', class: 'bad', 'aria-label': `Revoke ${name}` }, 'Revoke');
  button.addEventListener('click', () => {
    if (!confirm(`Revoke this key? Everything that uses ${name} (${hint}) stops working, for good.`)) return;
    act(button, async () => {
      try {
        await call('POST', '/api/keys/revoke', { id });
        say(`${name} was revoked.`);
      } finally {
        // Refreshes the list after a failure, because the API key may have been revoked in another tab.
        await refresh();
      }
    });
  });
  return button;
}

function showSecret(secret) {
  byId('secret-value').textContent = secret;
  byId('copy').textContent = 'Copy';
  byId('secret').showModal();
  byId('copy').focus();
}

// Escape must not lose the new API key. The event also works in browsers without `closedby`.
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

// A one-time address that is pasted into an open tab changes only the fragment, so the page has to reload.
window.addEventListener('hashchange', () => {
  if (location.hash.includes('token=')) location.reload();
});

openSession()
  .then(refresh)
  .catch((error) => say(error.message, true));
