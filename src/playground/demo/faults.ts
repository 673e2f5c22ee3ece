import { execFileSync } from 'node:child_process';
import { once as happens } from 'node:events';
import { createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { World } from '../world/world.ts';
import type { WorldServer } from '../world/world-server.ts';

export interface Machine {
  restartBot(signal: NodeJS.Signals): Promise<void>;
  /** The process and the port of the bot's built-in voice; undefined if another speech engine is configured. */
  readonly localVoice: { readonly pid: number; readonly port: number } | undefined;
  /** Changes the fault switches of the embedded speech service; the keys are those of its `/faults`. */
  setSpeechFaults(faults: Readonly<Record<string, number | 'always'>>): Promise<void>;
}

interface Stage {
  readonly world: World;
  readonly server: WorldServer;
  readonly faults: World['faults'];
  readonly voiceServer: World['voiceServer'];
  readonly bot: { readonly guildId: string; readonly userId: string };
  readonly machine: Machine;
}

interface FaultSwitch {
  /**
   * The values that a user can type after the fault's name; the first is the default. Empty for a fault that happens
   * once.
   */
  readonly values: readonly string[];
  readonly about: string;
  set(stage: Stage, value: string): unknown;
}

const onOff = (about: string, set: (stage: Stage, on: boolean) => unknown): FaultSwitch => ({
  values: ['on', 'off'],
  about,
  set: (stage, value) => set(stage, value === 'on'),
});

const once = (about: string, set: FaultSwitch['set']): FaultSwitch => ({ values: [], about, set });

/** The maximum number of servers with calls: each call needs a listener in the playground's process. */
const MAX_SERVERS = 200;

const ANY_REST_PATH = /^\//;

/**
 * How long to try to take the port of the built-in voice. The bot starts an ended built-in voice again after one
 * second.
 */
const PORT_DEADLINE_MS = 1_000;

/**
 * Keeps the next announced commit of the encryption group from the bot. Discord announces a commit when a member joins
 * or leaves.
 */
function loseCommit({ voiceServer: { settings }, bot }: Stage): void {
  const ANNOUNCE_COMMIT = 29;
  settings.alterDaveMessage = ({ userId, op, payload }) => {
    if (op !== ANNOUNCE_COMMIT || userId !== bot.userId) return payload;
    settings.alterDaveMessage = undefined;
    return undefined;
  };
}

async function crowd(world: World, servers: number): Promise<void> {
  if (servers > MAX_SERVERS) throw new Error(`${servers} are too many: at most ${MAX_SERVERS}.`);
  for (let n = 0; n < servers; n += 1) {
    const member = world.newServer(`Crowd ${n + 1}`).member('olga');
    member.joins('General');
    await member.types('/join');
  }
}

const ADDRESSES = ['10.9.0.2', '10.9.0.3'] as const;

const ownAddress = () => {
  const own = (networkInterfaces().lo ?? []).map(({ address }) => address);
  return ADDRESSES.find((address) => own.includes(address));
};

/**
 * Replaces the loopback address of the machine, which breaks every connection. Only for a network namespace of its own.
 */
async function changeAddress(): Promise<void> {
  const before = ownAddress();
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

/** Ends the built-in voice and listens on its port, before the bot can start the built-in voice again. */
async function takePort(machine: Machine): Promise<void> {
  const voice = machine.localVoice;
  if (!voice)
    throw new Error('The bot speaks through a speech service that was configured, not through the built-in voice.');
  const server = createServer();
  process.kill(voice.pid, 'SIGKILL');
  const giveUp = AbortSignal.timeout(PORT_DEADLINE_MS);
  do {
    giveUp.throwIfAborted();
    // A killed built-in voice holds its port for a moment longer. Until then listening fails with EADDRINUSE and is
    // tried again.
    server.listen(voice.port, '127.0.0.1');
  } while (
    !(await happens(server, 'listening').then(
      () => true,
      () => false,
    ))
  );
  server.unref();
}

const FAULT_SWITCHES: Readonly<Record<string, FaultSwitch>> = {
  'speech-unavailable': onOff('let the speech service answer 503', ({ machine }, on) =>
    machine.setSpeechFaults({ unavailable: on ? 'always' : 0 }),
  ),
  'speech-used-up': onOff('let the built-in voice have used up its allowance (402)', ({ machine }, on) =>
    machine.setSpeechFaults({ noCredits: on ? 'always' : 0 }),
  ),
  'speech-slow': {
    values: ['30000', '0'],
    about: 'deliver speech at so many bytes per second (it plays 48,000), so that it starves; 0 is as fast as it can',
    set: ({ machine }, value) => machine.setSpeechFaults({ audioBytesPerSecond: Number(value) }),
  },
  'gateway-cut': once("cut the gateway's TCP connections; the sessions can be resumed", ({ faults }) =>
    faults.dropGateway(),
  ),
  'gateway-session': {
    values: ['lost', 'resumable'],
    about: 'declare the gateway session invalid (op 9)',
    set: ({ faults }, value) => faults.invalidateSession({ resumable: value === 'resumable' }),
  },
  'gateway-identify-refused': {
    values: ['1', '3'],
    about: 'end the session and refuse so many of the next IDENTIFYs as too soon (op 9)',
    set({ faults }, value) {
      faults.refuseIdentifies(Number(value));
      faults.invalidateSession({ resumable: false });
    },
  },
  'gateway-down': onOff('refuse new gateway connections', ({ faults }, on) => faults.refuseGateway(on)),
  'gateway-resume-down': onOff('refuse connections to the address that sessions resume at', ({ faults }, on) =>
    faults.refuseResumes(on),
  ),
  'gateway-twice': onOff('send each command and each message twice', ({ faults }, on) => {
    for (const event of ['INTERACTION_CREATE', 'MESSAGE_CREATE']) {
      const stop = faults.repeatEvent(event);
      if (!on) stop();
    }
  }),
  kick: once('let a moderator disconnect the bot from voice', ({ server }) => server.member('olga').disconnects('bot')),
  'channel-full': onOff('let General have no place left', ({ server }, on) => {
    const general = server.channel('General');
    general.setUserLimit(on ? Math.max(1, general.members.filter((name) => name !== 'bot').length) : 0);
  }),
  outage: {
    values: ['5000'],
    about: 'make the server unavailable for this many milliseconds',
    set: ({ server, world }, value) => void world.clock.after(Number(value), server.outage()),
  },
  'voice-close': {
    values: ['4022', '4014', '4006', '4015'],
    about: 'close the voice connection with this code, and send nothing more',
    set: ({ voiceServer, bot }, value) => voiceServer.cut(bot, Number(value)),
  },
  'voice-group-slow': {
    values: ['3000', '0'],
    about: 'begin the end-to-end encryption group of clients that connect so many milliseconds late',
    set: ({ voiceServer }, value) => {
      voiceServer.settings.daveHandshakeDelayMs = Number(value);
    },
  },
  'voice-commit-lost': once("lose the bot's next commit of the end-to-end encryption group (op 29)", loseCommit),
  'voice-version': {
    values: ['0', '1'],
    about: 'change the call in General to this version of the end-to-end encryption protocol; 0 is none',
    set({ faults, server }, value) {
      const call = { guildId: server.guildId, channelId: server.channel('General').id };
      faults.setProtocolVersion(call, value === '0' ? 0 : 1);
    },
  },
  'voice-no-udp': onOff('answer nothing over UDP, as behind a firewall', ({ faults }, on) => faults.blockUdp(on)),
  'voice-udp-silent': onOff('let no datagram through, in neither direction', ({ voiceServer: { settings } }, on) => {
    settings.isUdpSilent = on;
  }),
  'voice-unreachable': {
    values: ['1', '3'],
    about: 'refuse this many of the next connections to the voice gateway with HTTP status 521',
    set: ({ voiceServer }, value) => {
      voiceServer.settings.upgradesToRefuse = Number(value);
    },
  },
  'voice-no-echo': onOff('send no keep-alive datagrams back', ({ voiceServer: { settings } }, on) => {
    settings.echoKeepAlives = !on;
  }),
  'voice-stray-datagram': {
    values: ['10', '1'],
    about: 'send the bot a datagram of so many bytes, as those who scan ports do',
    set: ({ voiceServer, bot }, value) => voiceServer.sendDatagram(bot, new Uint8Array(Number(value))),
  },
  mute: onOff('let a moderator mute the bot', ({ server }, on) => server.member('olga').serverMutes('bot', on)),
  deafen: onOff('let a moderator deafen the bot', ({ server }, on) => server.member('olga').serverDeafens('bot', on)),
  'voice-move': {
    values: ['4022', '4014'],
    about: 'close the voice connection with this code, and name a new voice server 1.5 s later',
    set: ({ faults, server }, value) => faults.changeVoiceServer(server.guildId, { closeCode: Number(value) }),
  },
  'voice-crowd': {
    values: ['24', '130'],
    about: 'let the bot join a channel in this many more servers; with gateway-session lost it has to join all anew',
    set: ({ world }, value) => crowd(world, Number(value)),
  },
  'speak-at-once': onOff('let a changed permission to speak count at once, not with the next join', ({ faults }, on) =>
    faults.speakAppliesAtOnce(on),
  ),
  'rest-error': {
    values: ['500', '502', '503', '404', '401', '429'],
    about: "answer the bot's next request with this status",
    set: ({ faults }, value) => faults.rest({ path: ANY_REST_PATH, status: Number(value) }),
  },
  'rest-limit': {
    values: ['2'],
    about: "answer the bot's next request with 429, for so many seconds",
    set: ({ faults }, value) => faults.rest({ path: ANY_REST_PATH, retryAfterSeconds: Number(value) }),
  },
  'rest-slow': {
    values: ['4000'],
    about: "delay the bot's next request by so many milliseconds",
    set: ({ faults }, value) => faults.rest({ path: ANY_REST_PATH, delayMs: Number(value) }),
  },
  'machine-address': once(
    'give this machine another address; only in a network namespace, see docs/engineering/first-contact.md',
    changeAddress,
  ),
  'machine-port': once('end the built-in voice, and let another program take its port', ({ machine }) =>
    takePort(machine),
  ),
  'bot-killed': once(
    'kill the bot, and start it again: texts that it had accepted come back, a command that it had not answered is lost',
    ({ machine }) => machine.restartBot('SIGKILL'),
  ),
};

const FAULT_NAMES: readonly string[] = Object.keys(FAULT_SWITCHES);

/**
 * Names of the faults that only the built-in speech service can have: it has switches for them, and a process that can
 * be ended.
 */
const BUILT_IN_ONLY = new Set(['speech-unavailable', 'speech-used-up', 'speech-slow', 'machine-port']);

const usageOf = (name: string): string => [name, FAULT_SWITCHES[name]?.values.join('|')].filter(Boolean).join(' ');

export class FaultBoard {
  readonly #world: World;
  readonly #machine: Machine;
  readonly #lasting = new Map<string, string>();

  constructor(world: World, machine: Machine) {
    this.#world = world;
    this.#machine = machine;
  }

  text(): string {
    const offered = this.list().map(({ name, about }) => ({ usage: usageOf(name), about }));
    const width = Math.max(...offered.map(({ usage }) => usage.length));
    const lines = offered.map(({ usage, about }) => `  ${usage.padEnd(width)}  ${about}`);
    return ['fault NAME [VALUE] makes something go wrong:', ...lines].join('\n');
  }

  /**
   * All fault switches that work on this machine: `value` is a lasting fault's current value, and `ending` is the value
   * that ends the fault.
   */
  list() {
    const works = (name: string) =>
      name === 'machine-address'
        ? ownAddress() !== undefined
        : this.#machine.localVoice !== undefined || !BUILT_IN_ONLY.has(name);
    const offered = Object.entries(FAULT_SWITCHES).filter(([name]) => works(name));
    return offered.map(([name, { values, about }]) => ({
      name,
      values,
      about,
      ending: endingOf(values),
      value: this.#lasting.get(name),
    }));
  }

  /** Switches a fault by the words typed after `fault`, and returns a confirmation. Throws for an unknown fault. */
  async set(server: WorldServer, words: string): Promise<string> {
    const [name = '', given, ...more] = words.split(/\s+/);
    const found = FAULT_NAMES.includes(name) ? FAULT_SWITCHES[name] : undefined;
    if (!found) throw new Error(`There is no fault ${name}; faults lists them.`);
    const { values, about } = found;
    const isNumber = values.some((value) => /^\d+$/.test(value));
    const isKnown = given === undefined || (isNumber ? /^\d{1,9}$/.test(given) : values.includes(given));
    if (!isKnown || more.length > 0) throw new Error(`Type fault ${usageOf(name)}.`);
    const value = given ?? values[0] ?? '';
    const { faults, voiceServer, bot } = this.#world;
    const inVoice = { guildId: server.guildId, userId: bot.userId };
    const stage = { world: this.#world, server, faults, voiceServer, bot: inVoice, machine: this.#machine };
    await found.set(stage, value);
    const isOver = value === 'off' || value === '0';
    if (isOver || endingOf(values) === undefined) this.#lasting.delete(name);
    else this.#lasting.set(name, value);
    return value === 'off' ? `Over: ${name}.` : `Done: ${name}${value === '' ? '' : ` ${value}`} (${about}).`;
  }
}

/**
 * The value that ends a lasting fault: `off`, or a 0 that is last in the list of values. A 0 elsewhere is a real fault
 * value.
 */
function endingOf(values: readonly string[]): 'off' | '0' | undefined {
  if (values.includes('off')) return 'off';
  return values.at(-1) === '0' ? '0' : undefined;
}
