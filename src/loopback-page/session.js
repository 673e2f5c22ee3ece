/* The session of this browser: from the one-time token in the page's address, or from what is pasted into the dialog. */

const STORED = 'crier-session';
const byId = (id) => document.getElementById(id);

/** The session of this browser, '' before it has one. */
export const session = () => localStorage.getItem(STORED) ?? '';

/** A request of the page; asks for the one-time address where the service knows no session of this browser (any more). */
export async function call(method, path, body) {
  const answer = await send(method, path, body);
  if (answer.ok) return answer.body;
  if (answer.body?.error?.code !== 'signed_out') throw problem(answer);
  await askForAddress();
  const again = await send(method, path, body);
  if (again.ok) return again.body;
  throw problem(again);
}

/** Exchanges the token in the page's address, if it has one. The fragment of an address is not sent to any server. */
export async function openSession() {
  const token = tokenIn(location.hash);
  if (token === undefined) return;
  // It is used up: it has no business in the browser's history.
  history.replaceState(null, '', location.pathname + location.search);
  // The address was used before. This browser may have a session anyway; otherwise it is asked for another address.
  await signIn(token).catch((error) => {
    refusedAddress = error;
  });
}

/** Why the address did not open the page. */
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

async function signIn(token) {
  const answer = await send('POST', '/api/sign-in', { token });
  if (!answer.ok) throw problem(answer);
  localStorage.setItem(STORED, answer.body.session);
}

/** The token of an address, or the token by itself. */
function tokenIn(text) {
  return /(?:^|token=)([\w-]{32})$/.exec(text.trim())?.[1];
}

let asking;

/** One dialog for all requests that wait for it. */
function askForAddress() {
  // With the dialog's end its listeners go: those of an earlier one would send the address once more, when it is used up.
  const over = new AbortController();
  const { signal } = over;
  asking ??= new Promise((resolve) => {
    const dialog = byId('sign-in');
    // Without a session there is nothing to go back to. A browser that does not know `closedby` knows this event.
    dialog.addEventListener('cancel', (event) => event.preventDefault(), { signal });
    const open = async (event) => {
      event.preventDefault();
      const token = tokenIn(byId('sign-in-address').value);
      try {
        if (token === undefined)
          throw new Error('That is not an address of this page: it ends with token= and 32 characters.');
        await signIn(token);
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
