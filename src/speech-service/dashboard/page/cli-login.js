/* Asks the user whether the command-line client `voice` may have an API key, and sends the answer to that client. */

import { call } from './session.js';

const byId = (id) => document.getElementById(id);
const query = new URLSearchParams(location.search);
const login = { port: Number(query.get('port')), state: query.get('state') ?? '' };

// The address of the login page contains the login's state, which must not stay in the browser's history.
history.replaceState(null, '', '/cli-login');

function say(text, bad = false) {
  byId('message').textContent = text;
  byId('message').classList.toggle('bad', bad);
}

async function goBack(work) {
  for (const button of document.querySelectorAll('button')) button.disabled = true;
  say('');
  try {
    await mustStillWait();
    const { redirect } = await work();
    location.assign(redirect);
  } catch (error) {
    say(error.message, true);
    for (const button of document.querySelectorAll('button')) button.disabled = false;
  }
}

/** Checks that the command line still listens: the browser would otherwise end on its own error page. */
async function mustStillWait() {
  const inTime = AbortSignal.timeout(5_000);
  await fetch(`http://127.0.0.1:${login.port}/`, { mode: 'no-cors', cache: 'no-store', signal: inTime }).catch(() => {
    throw new Error('This login has ended: run voice login again, and answer on the page it opens.');
  });
}

function isRotating() {
  return byId('rotate').checked;
}

function showChoice() {
  byId('key').disabled = !isRotating();
  byId('name').disabled = isRotating();
  byId('warning').hidden = !isRotating();
}

byId('login').addEventListener('change', showChoice);
byId('login').addEventListener('submit', (event) => {
  event.preventDefault();
  const choice = isRotating()
    ? { kind: 'rotate', id: byId('key').value }
    : { kind: 'create', name: byId('name').value };
  goBack(() => call('POST', '/api/cli-login/confirm', { ...login, challenge: query.get('challenge') ?? '', choice }));
});
byId('refuse').addEventListener('click', () => goBack(() => call('POST', '/api/cli-login/refuse', login)));

/** Finds an unused name for an API key, because each login on a machine asks for the same name. */
function freeName(wanted, keys) {
  const taken = keys.filter((key) => !key.revokedAt).map((key) => key.name);
  let name = wanted;
  for (let number = 2; taken.includes(name); number += 1) name = `${wanted} ${number}`;
  return name;
}

async function start() {
  const wanted = (query.get('name') ?? '').slice(0, 55) || 'voice';
  byId('name').value = wanted;
  const { keys } = await call('GET', '/api/state');
  // Without a sign-in there are no API keys to offer, so the form stays hidden until the keys are known.
  byId('main').hidden = false;
  if (byId('name').value === wanted) byId('name').value = freeName(wanted, keys);
  // An API key from the environment can only be changed in the environment, so the page does not offer to replace it.
  const usable = keys.filter((key) => !key.revokedAt && key.origin !== 'environment');
  byId('key').append(...usable.map((key) => new Option(`${key.name} (${key.hint})`, key.id)));
  byId('rotate').disabled = usable.length === 0;
  showChoice();
  byId('allow').focus();
}

start().catch((error) => say(error.message, true));
