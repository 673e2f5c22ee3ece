import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { Logger } from 'pino';

const CHECK_INTERVAL_MS = 1_000;
/** An address missing in this many checks in a row counts as gone. Connections survive if their interface is set up again by then. */
const GONE_AFTER_CHECKS = 3;
/** Node reports each new outgoing connection on this diagnostics channel: https://nodejs.org/api/diagnostics_channel.html */
const CHANNEL = 'net.client.socket';

function machineAddresses(): Set<string> {
  return new Set(
    Object.values(networkInterfaces())
      .flatMap((of) => of ?? [])
      .map(({ address }) => plain(address)),
  );
}

/** Removes an address's zone and the IPv6 prefix of an IPv4 address, so that two forms of one address are equal. */
function plain(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/, '').replace(/%.*$/, '');
}

/** A connection whose local address disappears (Wi-Fi, VPN) never works again. TCP notices only after many minutes. */
export function watchLocalAddresses(log: Logger, addresses: () => ReadonlySet<string> = machineAddresses) {
  const connections = new Set<Socket>();
  const goneChecks = new Map<string, number>();

  function onConnection(message: unknown): void {
    const { socket } = message as { socket: Socket };
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  }

  function endConnections(address: string): void {
    const dead = [...connections].filter(({ localAddress }) => localAddress && plain(localAddress) === address);
    if (dead.length === 0) return;
    log.warn({ address, connections: dead.length }, 'This machine lost a network address: closing connections from it');
    for (const socket of dead) socket.destroy();
  }

  function check(): void {
    const present = addresses();
    for (const address of present) goneChecks.set(address, 0);
    for (const [address, checks] of goneChecks) {
      if (present.has(address)) continue;
      goneChecks.set(address, checks + 1);
      if (checks + 1 < GONE_AFTER_CHECKS) continue;
      goneChecks.delete(address);
      endConnections(address);
    }
  }

  function close(): void {
    clearInterval(timer);
    unsubscribe(CHANNEL, onConnection);
    connections.clear();
  }

  const timer = setInterval(() => {
    try {
      check();
    } catch (error) {
      close();
      log.info({ err: error }, 'Could not read network addresses: lost connections are noticed late');
    }
  }, CHECK_INTERVAL_MS).unref();
  subscribe(CHANNEL, onConnection);
  return { close };
}
