import type { World } from '../world/world.ts';

export interface Machine {
  restartBot(): Promise<void>;
  /** True if the bot uses the built-in speech service, which alone has fault switches. */
  readonly hasOwnSpeech: boolean;
  setSpeechFaults(faults: Readonly<Record<string, number | 'always'>>): Promise<void>;
}

interface Stage {
  readonly world: World;
  readonly machine: Machine;
}

interface FaultSwitch {
  /** The values that a user can type after the fault's name, the default first. Empty for a fault that happens once. */
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

const ANY_REST_PATH = /^\//;

/** Faults that a user can cause. Tests can cause many more faults, which are in src/playground/world/faults.ts. */
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
  'gateway-cut': once("cut the gateway's TCP connections; the sessions can be resumed", ({ world }) =>
    world.faults.dropGateway(),
  ),
  'gateway-session': {
    values: ['lost', 'resumable'],
    about: 'declare the gateway session invalid (op 9)',
    set: ({ world }, value) => world.faults.invalidateSession({ resumable: value === 'resumable' }),
  },
  'gateway-down': onOff('refuse new gateway connections', ({ world }, on) => world.faults.refuseGateway(on)),
  kick: once('let a moderator disconnect the bot from voice', ({ world }) => world.member('olga').disconnects('bot')),
  'channel-full': onOff('let General have no place left', ({ world }, on) => {
    const general = world.channel('General');
    general.setUserLimit(on ? Math.max(1, general.members.filter((name) => name !== 'bot').length) : 0);
  }),
  outage: {
    values: ['5000'],
    about: 'make the server unavailable for this many milliseconds',
    set: ({ world }, value) => void world.clock.after(Number(value), world.outage()),
  },
  'voice-close': {
    values: ['4022', '4014', '4006', '4015'],
    about: 'close the voice connection with this code, and send nothing more',
    set: ({ world }, value) =>
      world.voiceServer.cut({ guildId: world.guildId, userId: world.bot.userId }, Number(value)),
  },
  'voice-group-slow': {
    values: ['3000', '0'],
    about: 'begin the end-to-end encryption group of clients that connect so many milliseconds late',
    set: ({ world }, value) => {
      world.voiceServer.settings.daveHandshakeDelayMs = Number(value);
    },
  },
  'voice-no-udp': onOff('answer nothing over UDP, as behind a firewall', ({ world }, on) => world.faults.blockUdp(on)),
  mute: onOff('let a moderator mute the bot', ({ world }, on) => world.member('olga').serverMutes('bot', on)),
  'voice-move': {
    values: ['4022', '4014'],
    about: 'close the voice connection with this code, and name a new voice server 1.5 s later',
    set: ({ world }, value) => world.faults.changeVoiceServer(world.guildId, { closeCode: Number(value) }),
  },
  'rest-error': {
    values: ['500', '502', '503', '404', '401', '429'],
    about: "answer the bot's next request with this status",
    set: ({ world }, value) => world.faults.rest({ path: ANY_REST_PATH, answer: Number(value) }),
  },
  'rest-slow': {
    values: ['4000'],
    about: "delay the bot's next request by so many milliseconds",
    set: ({ world }, value) => world.faults.rest({ path: ANY_REST_PATH, delayMs: Number(value) }),
  },
  'bot-killed': once(
    'kill the bot, and start it again: texts that it had accepted come back, a command that it had not answered is lost',
    ({ machine }) => machine.restartBot(),
  ),
};

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

  /** Lists the faults a user can cause. `value` is a lasting fault's current value. `ending` is the value that ends the fault. */
  list() {
    const works = (name: string) => this.#machine.hasOwnSpeech || !name.startsWith('speech-');
    const offered = Object.entries(FAULT_SWITCHES).filter(([name]) => works(name));
    return offered.map(([name, { values, about }]) => ({
      name,
      values,
      about,
      ending: endingOf(values),
      value: this.#lasting.get(name),
    }));
  }

  /** `words` are a fault's name and an optional value. Returns a confirmation, and rejects unknown names and values. */
  async set(words: string): Promise<string> {
    const [name = '', given, ...more] = words.split(/\s+/);
    const found = Object.hasOwn(FAULT_SWITCHES, name) ? FAULT_SWITCHES[name] : undefined;
    if (!found) throw new Error(`There is no fault ${name}; faults lists them.`);
    const { values, about } = found;
    const isNumber = values.some((value) => /^\d+$/.test(value));
    const isKnown = given === undefined || (isNumber ? /^\d{1,9}$/.test(given) : values.includes(given));
    if (!isKnown || more.length > 0) throw new Error(`Type fault ${usageOf(name)}.`);
    const value = given ?? values[0] ?? '';
    await found.set({ world: this.#world, machine: this.#machine }, value);
    const isOver = value === 'off' || value === '0';
    if (isOver || endingOf(values) === undefined) this.#lasting.delete(name);
    else this.#lasting.set(name, value);
    return value === 'off' ? `Over: ${name}.` : `Done: ${name}${value === '' ? '' : ` ${value}`} (${about}).`;
  }
}

/** The value that ends a lasting fault. A fault without such a value happens once. */
function endingOf(values: readonly string[]): 'off' | '0' | undefined {
  if (values.includes('off')) return 'off';
  return values.at(-1) === '0' ? '0' : undefined;
}
