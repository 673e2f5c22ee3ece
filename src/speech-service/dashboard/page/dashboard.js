/* The dashboard's own script: plain DOM, text only (nothing is ever parsed as HTML). */

import { call, openSession } from './session.js';

const byId = (id) => document.getElementById(id);
const numbers = new Intl.NumberFormat('en');
const languages = new Intl.DisplayNames('en', { type: 'language' });
const dates = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

/** Which controls each model family has an effect on. */
const CONTROLS = {
  gpro: ['style', 'seed', 'temperature'],
  gpro31: ['style', 'seed', 'temperature'],
  gpro38: ['style', 'seed', 'temperature'],
  ext: ['speed'],
  orpheus: ['seed'],
};
/** Of the models of other engines. */
const SERVER_CONTROLS = ['speed'];

let state = { voices: [], models: [], keys: [], history: [] };
let isSpeaking = false;
/** So many rows of the history are asked for. */
let historyLength = 50;
/** How often the state was asked for, and which of these answers is shown. */
let refreshes = 0;
let shownRefresh = 0;
/** The ids of the voices in the menu. */
let offered;

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
  byId('worth').textContent =
    state.prices === null
      ? 'One credit is one character; most emoji count as two or more. Credits cost nothing: they are for testing clients.'
      : 'A count of your own, at the price per character that you set for each engine. What the provider of an engine charges, and what is left there, is not known here.';
  byId('api-url').textContent = state.apiUrl;
  const { name, problem } = state.engine;
  byId('engine').hidden = false;
  byId('engine').textContent = problem ?? `Speaks with ${name}`;
  byId('engine').classList.toggle('broken', problem !== null);
  showKeys();
  showHistory();
  showVoices();
  showControls();
}

function showVoices() {
  const ids = state.voices.map(({ id }) => id);
  if (ids.join() === offered) return;
  offered = ids.join();
  const before = byId('voice').value;
  byId('voice').replaceChildren();
  for (const model of state.models) {
    const voices = state.voices.filter((voice) => voice.model === model.id);
    const options = voices.map((voice) =>
      element(
        'option',
        { value: voice.id },
        // The closed menu shows no group, and models share the names of voices.
        `${voice.name} (${[model.id, ...(voice.language === 'multiple' ? [] : [voice.language])].join(', ')})`,
      ),
    );
    byId('voice').append(element('optgroup', { label: `${model.id} – ${model.name}` }, ...options));
  }
  if (ids.includes(before)) byId('voice').value = before;
}

function chosen() {
  const voice = state.voices.find((candidate) => candidate.id === byId('voice').value);
  return { voice, model: state.models.find((model) => model.id === voice?.model) };
}

function showControls() {
  const { model } = chosen();
  for (const name of ['style', 'seed', 'temperature', 'speed']) {
    const controls = CONTROLS[model?.id] ?? SERVER_CONTROLS;
    byId(`${name}-field`).hidden = !controls.includes(name);
  }
  showLanguage(chosen().voice);
  count();
}

/** Of a voice that has one alone; or why there is no voice to choose, or another one speaks. */
function showLanguage(voice) {
  const other = standIn(voice);
  byId('speaks').hidden = voice?.language === 'multiple' && other === undefined;
  if (voice === undefined) {
    byId('speaks').textContent =
      'No voice is there at the moment: the engine may be down. Once it is back, reload this page.';
    return;
  }
  if (other !== undefined) {
    byId('speaks').textContent =
      `The engine of this voice is down: until it is back, ${other.name} (${other.model}) speaks.`;
    return;
  }
  if (voice.language === 'multiple') return;
  const [code] = /^[a-z]{2,3}(?![a-z])/i.exec(voice.language) ?? [];
  const language = code === undefined ? voice.language : languages.of(code);
  byId('speaks').textContent = `This voice speaks ${language}, whatever language the text is in.`;
}

function priceOf(voice) {
  const price = state.prices?.[voice.id];
  if (price === undefined) return '';
  return price === 0 ? ', at no credits' : `, at ${numbers.format(price)} ${price === 1 ? 'credit' : 'credits'} each`;
}

function count() {
  const { voice, model } = chosen();
  if (!model) {
    byId('counter').textContent = '';
    byId('speak').disabled = true;
    return;
  }
  const words = byId('text').value;
  const tooMany = words.length - model.max_input_length;
  const isOver = tooMany > 0;
  const isSilent = words !== '' && !/[\p{L}\p{N}\p{Extended_Pictographic}]/u.test(words);
  byId('counter').textContent = isSilent
    ? 'Nothing to say: it needs a letter, a digit or an emoji.'
    : `${numbers.format(words.length)} of ${numbers.format(model.max_input_length)} characters${isOver ? `: shorten it by ${numbers.format(tooMany)}` : priceOf(voice)}`;
  byId('counter').classList.toggle('over', isOver || isSilent);
  byId('speak').disabled = isOver || isSilent || isSpeaking;
}

function showKeys() {
  const rows = state.keys.map((key) => {
    const cells = [
      element('td', {}, element('strong', {}, key.name)),
      element('td', { 'data-label': 'Key' }, element('code', {}, key.hint)),
      element('td', { 'data-label': 'Created' }, time(key.createdAt)),
      element('td', { 'data-label': 'Last used' }, time(key.lastUsedAt)),
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
      element('td', { class: entry.key ? null : 'unused', 'data-label': 'Key' }, entry.key ?? ''),
      element(
        'td',
        { class: entry.requestId ? null : 'unused' },
        ...(entry.requestId ? [element('code', {}, entry.requestId)] : []),
      ),
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

byId('speak').addEventListener('click', (event) => {
  // Of a double click, the second one: an engine may have answered already, and would be paid twice.
  if (event.detail > 1) event.preventDefault();
});

byId('try').addEventListener('submit', (event) => {
  event.preventDefault();
  const result = byId('spoken');
  act(event.currentTarget, async () => {
    isSpeaking = true;
    count();
    hidePlayer();
    result.textContent = 'Speaking…';
    result.classList.remove('bad');
    try {
      const { url, creditsUsed, requestId, spokenBy } = await call('POST', '/api/speak', speechRequest());
      const other = state.voices.find(({ id }) => id === spokenBy);
      const instead = other ? `${other.name} (${other.model}) spoke instead · ` : '';
      result.textContent = `${instead}${numbers.format(creditsUsed)} credits used · ${requestId}`;
      const player = byId('player');
      player.hidden = false;
      player.src = url;
      // A browser may refuse to start by itself; the player is there to be pressed then.
      player.play().catch(() => {});
      await refresh();
    } catch (error) {
      result.textContent = error.message;
      result.classList.add('bad');
    } finally {
      isSpeaking = false;
      count();
    }
  });
});

function hidePlayer() {
  const player = byId('player');
  player.hidden = true;
  player.removeAttribute('src');
  player.load();
}

// The audio has expired, or the browser cannot decode it.
byId('player').addEventListener('error', () => {
  hidePlayer();
  byId('spoken').append(' · This audio cannot be played (any more).');
  byId('spoken').classList.add('bad');
});

/** Only the fields that are filled in and have an effect: the interface refuses the rest. */
function speechRequest() {
  const { voice } = chosen();
  const request = { input: byId('text').value, voiceId: voice.id };
  for (const name of CONTROLS[voice.model] ?? []) {
    const { value, type } = byId(name);
    if (value !== '') request[name] = type === 'number' ? Number(value) : value;
  }
  return request;
}

byId('voice').addEventListener('change', showControls);
byId('text').addEventListener('input', count);
byId('try').addEventListener('input', () => {
  // What is told there was another request's.
  if (!isSpeaking) byId('spoken').textContent = '';
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
