/* The WebSocket to the playground. It carries acts with their answers, state changes, and audio packets. */

import { call, session } from '/session.js';

const SIGNED_OUT = 4401;
const RETRY_MS = 1_000;

/** Discord limits uploads of a member without Nitro to 10 MiB. */
const MAX_FILE_BYTES = 10 * 1024 * 1024;

export function openConnection({ onTell, onAudio, onOpen, onLost }) {
  let socket;
  let nextId = 1;
  const waiting = new Map();

  async function connect() {
    // A browser without a session first asks its user for the playground's one-time address.
    await call('GET', '/api/session');
    socket = new WebSocket(`ws://${location.host}/live`);
    socket.binaryType = 'arraybuffer';
    socket.addEventListener('open', () => {
      socket.send(JSON.stringify({ session: session() }));
      onOpen();
    });
    socket.addEventListener('message', ({ data }) => {
      if (typeof data !== 'string') return onAudio(data);
      const news = JSON.parse(data);
      if (news.tell === 'answer') settle(news);
      else onTell(news);
    });
    socket.addEventListener('close', ({ code }) => {
      for (const { reject } of waiting.values()) reject(new Error('The playground does not answer.'));
      waiting.clear();
      onLost();
      setTimeout(reconnect, code === SIGNED_OUT ? 0 : RETRY_MS);
    });
  }

  const reconnect = () => connect().catch(() => setTimeout(reconnect, RETRY_MS));

  function settle({ id, value, error }) {
    const act = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) act?.resolve(value);
    else act?.reject(new Error(error));
  }

  reconnect();
  return {
    /** Rejects with the text that Discord's client would show. */
    act(what, details = {}) {
      if (socket?.readyState !== WebSocket.OPEN) return Promise.reject(new Error('The playground does not answer.'));
      const id = nextId++;
      socket.send(JSON.stringify({ id, act: { do: what, ...details } }));
      return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
    },
  };
}

export async function uploaded(file) {
  if (file.size > MAX_FILE_BYTES) throw new Error(`${file.name} is larger than 10 MB.`);
  const url = await new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener('load', () => resolve(reader.result));
    reader.addEventListener('error', () => reject(reader.error));
    reader.readAsDataURL(file);
  });
  return { name: file.name, type: file.type, base64: url.slice(url.indexOf(',') + 1) };
}
