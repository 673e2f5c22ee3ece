import { type Client, Events, GatewayDispatchEvents } from 'discord.js';

/**
 * discord.js sends to the gateway without waiting for the result. A payload that waits there for the rate limit while the
 * connection is made anew is sent into one that is not open yet: an unhandled rejection, which would end the process. Its
 * loss is reported as a warning; all senders have deadlines of their own.
 */
export function catchFailedSends(client: Client): void {
  const guarded = new WeakSet<object>();
  client.ws.on(GatewayDispatchEvents.Ready, () => {
    const manager: unknown = Reflect.get(client.ws, '_ws');
    if (!isSender(manager) || guarded.has(manager)) return;
    guarded.add(manager);
    const send = manager.send.bind(manager);
    manager.send = (...payload) =>
      send(...payload).catch((error: unknown) => {
        client.emit(
          Events.Warn,
          `A message to the gateway was lost: ${error instanceof Error ? error.message : error}`,
        );
      });
  });
}

interface Sender {
  send(...payload: unknown[]): Promise<void>;
}

function isSender(manager: unknown): manager is Sender {
  return typeof manager === 'object' && manager !== null && typeof Reflect.get(manager, 'send') === 'function';
}
