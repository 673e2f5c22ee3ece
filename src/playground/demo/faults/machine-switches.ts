import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { networkInterfaces } from 'node:os';

/** The parts of a demo to which something happens that is not Discord's doing. */
export interface Machine {
  /** With this besides in its environment. */
  restartBot(env: Readonly<Record<string, string>>, signal?: NodeJS.Signals): Promise<void>;
  /** The bot's own; undefined where another one is configured. */
  localVoice(): LocalVoice | undefined;
}

/** The process of the bot's local voice, and the port it listens at. */
export interface LocalVoice {
  readonly pid: number;
  readonly port: number;
}

interface MachineSwitch {
  readonly values?: readonly string[];
  readonly about: string;
  set(machine: Machine, value: string): Promise<void>;
}

/** Loaded before the bot: the library's field has another name. */
const RENAMING = new URL('../bot/renamed-library.ts', import.meta.url).href;

/** The bot waits a second before it starts its local voice again. */
const PORT_DEADLINE_MS = 1_000;

const ADDRESSES = ['10.9.0.2', '10.9.0.3'] as const;

/** The machine's address, and with it that of every connection on loopback. Only where the playground has a network of its own. */
async function changeAddress(): Promise<void> {
  const own = (networkInterfaces().lo ?? []).map(({ address }) => address);
  const before = ADDRESSES.find((address) => own.includes(address));
  const next = ADDRESSES.find((address) => address !== before);
  if (before === undefined || next === undefined) {
    throw new Error(
      'The playground has no network of its own: docs/engineering/first-contact.md says how to start it in one.',
    );
  }
  const ip = (words: string) => execFileSync('ip', words.split(' '));
  ip(`addr del ${before}/32 dev lo`);
  ip(`addr add ${next}/32 dev lo`);
  ip(`route replace table local local 127.0.0.1 dev lo src ${next}`);
}

/** Ends the local voice; before the bot starts it again, its port belongs to another program: this one. */
async function takePort({ localVoice }: Machine): Promise<void> {
  const voice = localVoice();
  if (!voice)
    throw new Error('The bot speaks through a speech service that was configured, not through the local voice.');
  const server = createServer();
  process.kill(voice.pid, 'SIGKILL');
  const giveUp = AbortSignal.timeout(PORT_DEADLINE_MS);
  do {
    giveUp.throwIfAborted();
    // In use, that is an error of the server: it ends a moment after its signal.
    server.listen(voice.port, '127.0.0.1');
  } while (
    !(await once(server, 'listening').then(
      () => true,
      () => false,
    ))
  );
  server.unref();
}

/** What may happen to the bot's machine. */
export const MACHINE_SWITCHES: Readonly<Record<string, MachineSwitch>> = {
  'machine-address': {
    about: 'give this machine another address; only in a network namespace, see docs/engineering/first-contact.md',
    set: changeAddress,
  },
  'machine-port': {
    about: 'end the local voice, and let another program take its port',
    set: takePort,
  },
  'bot-library': {
    values: ['nonce', 'secretKey', 'protocolVersion', 'none'],
    about: "start the bot again with another name for this of the voice library's insides; none: as installed",
    set: ({ restartBot }, value) =>
      restartBot(value === 'none' ? {} : { RENAMED_IN_LIBRARY: value, NODE_OPTIONS: `--import ${RENAMING}` }),
  },
  'bot-killed': {
    about:
      'kill the bot, and start it again: texts that it had accepted come back, a command that it had not answered is lost',
    set: ({ restartBot }) => restartBot({}, 'SIGKILL'),
  },
};
