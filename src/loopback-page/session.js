/* Signs this browser in, with the one-time token of the page's address or of an address that the user pastes. */

const STORED = 'crier-session';
const byId = (id) => document.getElementById(id);

export const session = () => localStorage.getItem(STORED) ?? '';

/** Sends a request. If the server does not know the session, the user is first asked for the one-time address. */
export async function call(method, path, body) {
  const answer = await send(method, path, body);
  if (answer.ok) return answer.body;
  if (answer.body?.error?.code !== 'signed_out') throw problem(answer);
  await askForAddress();
  const again = await send(method, path, body);
  if (again.ok) return again.body;
  throw problem(again);
}

/** The token is in the address's fragment, because browsers send the fragment to no server. */
export async function openSession() {
  if (location.hash === '') return;
  const address = location.hash;
  // The token is used up and must not stay in the browser's history.
  history.replaceState(null, '', location.pathname + location.search);
  // If the address was already used, the browser may still have a session.
  await signIn(address).catch((error) => {
    refusedAddress = error;
  });
}

/** Why the server rejected the token in the page's address; shown in the sign-in dialog. */
let refusedAddress;

async function send(method, path, body) {
  const response = await fetch(path, {
    method,
    headers: {
      'X-Crier-Session': session(),
      'Content-Type': 'application/json',
    },
    body: body && JSON.stringify(body),
  }).catch(() => {
    throw new Error('The service does not answer. Is it still running?');
  });
  return { ok: response.ok, status: response.status, body: await response.json().catch(() => null) };
}

function problem({ status, body }) {
  return new Error(body?.error?.message ?? `The service answered with status ${status}.`);
}

async function signIn(address) {
  const token = tokenIn(address);
  if (token === undefined)
    throw new Error('That is not an address of this page: it ends with token= and 32 characters.');
  const answer = await send('POST', '/api/sign-in', { token });
  if (!answer.ok) throw problem(answer);
  localStorage.setItem(STORED, answer.body.session);
}

function tokenIn(text) {
  return /(?:^|token=)([\w-]{32})$/.exec(text.trim())?.[1];
}

let asking;

/** Asks the user for a one-time address. All requests that wait for the sign-in share one dialog. */
function askForAddress() {
  // When the dialog ends, its listeners are removed. Old listeners would submit the used address again.
  const over = new AbortController();
  const { signal } = over;
  asking ??= new Promise((resolve) => {
    const dialog = byId('sign-in');
    // Browsers without support for the attribute `closedby` would close the dialog when the user presses Escape.
    dialog.addEventListener('cancel', (event) => event.preventDefault(), { signal });
    const open = async (event) => {
      event.preventDefault();
      try {
        await signIn(byId('sign-in-address').value);
        byId('sign-in-address').value = '';
        dialog.close();
        resolve();
      } catch (error) {
        byId('sign-in-problem').textContent = error.message;
      }
    };
    byId('sign-in-form').addEventListener('submit', open, { signal });
    byId('sign-in-problem').textContent = refusedAddress?.message ?? '';
    refusedAddress = undefined;
    dialog.showModal();
  }).finally(() => {
    asking = undefined;
    over.abort();
  });
  return asking;
}
