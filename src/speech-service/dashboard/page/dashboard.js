/* The dashboard's own script: plain DOM, text only (nothing is ever parsed as HTML). */

import { call, openSession } from './session.js';

const byId = (id) => document.getElementById(id);
const numbers = new Intl.NumberFormat('en');
const dates = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

let state = { keys: [], history: [] };
/** So many rows of the history are asked for. */
let historyLength = 50;
/** How often the state was asked for, and which of these answers is shown. */
let refreshes = 0;
let shownRefresh = 0;

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
  const answer = await call('GET', `/api/state?history=${historyLength}`);
  // A later one knows better, whichever came first.
  if (mine < shownRefresh) return;
  shownRefresh = mine;
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
  const button = (label, work, kind = null) =>
    element(
      'button',
      {
        type: 'button',
        class: kind,
        'aria-label': `${label} ${key.name}`,
        onclick: (event) =>
          act(event.currentTarget, () =>
            work().catch(async (error) => {
              // It may have been revoked in another tab.
              await refresh().catch(() => {});
              throw error;
            }),
          ),
      },
      label,
    );
  const rename = button('Rename', async () => {
    let name = key.name;
    let problem = '';
    do {
      name = await ask('Rename this key', problem, 'Rename', name);
      if (!name) return problem === '' ? undefined : refresh();
      problem = await call('POST', `/api/keys/${key.id}/rename`, { name }).then(
        () => '',
        (error) => error.message,
      );
    } while (problem !== '');
    await refresh();
    say(`Renamed the key to ${name}.`);
  });
  const rotate = button(
    'Rotate',
    async () => {
      const text = `Everything that uses the current key of ${key.name} (${key.hint}) stops working until it has the new one.`;
      if (!(await ask('Replace this key?', text, 'Rotate'))) return;
      const { secret } = await call('POST', `/api/keys/${key.id}/rotate`, {});
      await refresh();
      showSecret(secret);
    },
    'danger',
  );
  // It is replaced where it comes from: the next start would make it valid again.
  if (key.origin === 'environment') return [rename];
  const revoke = button(
    'Revoke',
    async () => {
      const text = `Everything that uses ${key.name} (${key.hint}) stops working, for good.`;
      if (!(await ask('Revoke this key?', text, 'Revoke'))) return;
      await call('POST', `/api/keys/${key.id}/revoke`, {});
      await refresh();
      say(`${key.name} was revoked.`);
    },
    'danger',
  );
  return [rename, rotate, revoke];
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
  byId('older').hidden = !state.hasOlder;
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

/** Asks in a dialog. Resolves with true or the typed text, or false on a refusal. */
function ask(title, text, yes, value) {
  const dialog = byId('ask');
  byId('ask-title').textContent = title;
  byId('ask-text').textContent = text;
  byId('ask-text').hidden = text === '';
  byId('ask-yes').textContent = yes;
  byId('ask-field').hidden = value === undefined;
  byId('ask-input').required = value !== undefined;
  byId('ask-input').value = value ?? '';
  dialog.returnValue = 'no';
  dialog.showModal();
  (value === undefined ? byId('ask-yes') : byId('ask-input')).focus();
  return new Promise((resolve) => {
    dialog.addEventListener(
      'close',
      () => resolve(dialog.returnValue === 'yes' && (value === undefined || byId('ask-input').value.trim())),
      { once: true },
    );
  });
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

// Enter in the name field means yes, not the first button of the form.
byId('ask-input').addEventListener('keydown', (event) => {
  if (event.key !== 'Enter') return;
  event.preventDefault();
  if (event.currentTarget.form.reportValidity()) byId('ask').close('yes');
});

byId('top-up').addEventListener('submit', (event) => {
  event.preventDefault();
  act(event.currentTarget, async () => {
    const credits = byId('amount').valueAsNumber;
    await call('POST', '/api/top-up', { amount: credits });
    await refresh();
    say(`Added ${numbers.format(credits)} credits.`);
  });
});

byId('older').addEventListener('click', (event) =>
  act(event.currentTarget, async () => {
    // Also for a refresh that begins meanwhile.
    historyLength += 50;
    try {
      await refresh();
    } catch (error) {
      historyLength -= 50;
      throw error;
    }
  }),
);

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
