import type { World } from '../../world/world.ts';
import type { WorldServer } from '../../world/world-server.ts';
import { MACHINE_SWITCHES, type Machine } from './machine-switches.ts';

interface FaultSwitch {
  /** The values it takes; the first one is meant when none is given. None: it happens once. */
  readonly values?: readonly string[];
  readonly about: string;
  /** Awaited when it is a promise. */
  set(world: World, server: WorldServer, value: string, speech: SpeechFaults): unknown;
}

/** Some of the speech service's own switches, as its /faults takes them. */
export type SpeechFaults = (faults: Readonly<Record<string, number | 'always'>>) => Promise<void>;

/** Whole numbers from a value such as `4014` or `1500`. */
function numberFrom(value: string): number {
  if (!/^\d{1,9}$/.test(value)) throw new Error(`${value} is not a whole number.`);
  return Number(value);
}

const onOff = (about: string, set: (world: World, on: boolean, server: WorldServer) => void): FaultSwitch => ({
  values: ['on', 'off'],
  about,
  set: (world, server, value) => set(world, value === 'on', server),
});

/** Answers of the speech service to every speech request, until it is switched off. */
const ofSpeech = (about: string, fault: string): FaultSwitch => ({
  values: ['on', 'off'],
  about,
  set: (_world, _server, value, speech) => speech({ [fault]: value === 'on' ? 'always' : 0 }),
});

const once = (about: string, set: FaultSwitch['set']): FaultSwitch => ({ about, set });

/** Each has a call with a listener of its own, in this process. */
const MOST_SERVERS = 200;

const ANY_REST_PATH = /^\//;

function lose(event: string, faults: World['faults'], isLost: boolean): void {
  const stop = faults.loseEvent(event);
  if (!isLost) stop();
}

/** Made when a member comes or goes. */
function loseCommit({ voiceServer: { settings }, bot }: World): void {
  const ANNOUNCE_COMMIT = 29;
  settings.alterDaveMessage = ({ userId, op, payload }) => {
    if (op !== ANNOUNCE_COMMIT || userId !== bot.userId) return payload;
    settings.alterDaveMessage = undefined;
    return undefined;
  };
}

async function crowd(world: World, servers: number): Promise<void> {
  if (servers > MOST_SERVERS) throw new Error(`${servers} are too many: at most ${MOST_SERVERS}.`);
  for (let n = 0; n < servers; n += 1) {
    const member = world.newServer(`Crowd ${n + 1}`).member('olga');
    member.joins('General');
    await member.types('/join');
  }
}

/** What a real Discord may do and a kind one does not; the same faults as in the end-to-end tests. */
const FAULT_SWITCHES: Readonly<Record<string, FaultSwitch>> = {
  'speech-unavailable': ofSpeech('let the speech service answer 503', 'unavailable'),
  'speech-no-credits': ofSpeech('let the speech account have no credits left (402)', 'noCredits'),
  'speech-slow': {
    values: ['30000', '0'],
    about: 'deliver speech at so many bytes per second (it plays 48,000), so that it starves; 0 is as fast as it can',
    set: (_world, _server, value, speech) => speech({ audioBytesPerSecond: numberFrom(value) }),
  },
  'gateway-cut': once("cut the gateway's TCP connections; the sessions can be resumed", ({ faults }) =>
    faults.dropGateway(),
  ),
  'gateway-reconnect': once('ask the bot to reconnect (op 7)', ({ faults }) => faults.askToReconnect()),
  'gateway-session': {
    values: ['lost', 'resumable'],
    about: 'declare the gateway session invalid (op 9)',
    set: ({ faults }, _server, value) => faults.invalidateSession({ resumable: value === 'resumable' }),
  },
  'gateway-identify-refused': {
    values: ['1', '3'],
    about: 'end the session and refuse so many of the next IDENTIFYs as too soon (op 9)',
    set({ faults }, _server, value) {
      faults.refuseIdentifies(numberFrom(value));
      faults.invalidateSession({ resumable: false });
    },
  },
  'gateway-close': {
    values: ['4000', '4008', '4009'],
    about: 'close the gateway connections with a close code',
    set: ({ faults }, _server, value) => faults.closeGateway(numberFrom(value)),
  },
  'gateway-silent': onOff('answer no heartbeats', ({ faults }, on) => faults.answerHeartbeats(!on)),
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
  kick: once('let a moderator disconnect the bot from voice', (_, server) => server.member('olga').disconnects('bot')),
  'channel-full': onOff('let General have no place left', (_, on, server) => {
    const general = server.channel('General');
    general.setUserLimit(on ? Math.max(1, general.members.filter((name) => name !== 'bot').length) : 0);
  }),
  outage: {
    values: ['5000'],
    about: 'make the server unavailable for this many milliseconds',
    set({ clock }, server, value) {
      const end = server.outage();
      clock.after(numberFrom(value), end);
    },
  },
  'voice-cut': once("cut the bot's voice connection; it can be resumed", ({ voiceServer, bot }, { guildId }) =>
    voiceServer.cut({ guildId, userId: bot.userId }),
  ),
  'voice-close': {
    values: ['4022', '4014', '4006', '4015'],
    about: 'close the voice connection with this code, and send nothing more',
    set: ({ voiceServer, bot }, { guildId }, value) =>
      voiceServer.cut({ guildId, userId: bot.userId }, numberFrom(value)),
  },
  'voice-cut-replayed': {
    values: ['before', 'after'],
    about: 'cut the voice connection for a second, and send what it missed before or after op 9 (Resumed)',
    set({ faults }, { guildId }, value) {
      faults.replayVoiceBeforeResumed(value === 'before');
      faults.cutVoice(guildId, { resumeAfterMs: 1_000 });
    },
  },
  'voice-no-group': onOff('admit nobody to an end-to-end encryption group in General', ({ faults }, on, server) =>
    faults.withholdGroup(server.channel('General').id, on),
  ),
  'voice-group-slow': {
    values: ['3000', '0'],
    about: 'begin the end-to-end encryption group of clients that connect so many milliseconds late',
    set: ({ voiceServer }, _server, value) => {
      voiceServer.settings.daveHandshakeDelayMs = numberFrom(value);
    },
  },
  'voice-commit-lost': once("lose the bot's next commit of the end-to-end encryption group (op 29)", loseCommit),
  'voice-version': {
    values: ['0', '1'],
    about: 'change the call in General to this version of the end-to-end encryption protocol; 0 is none',
    set({ faults }, server, value) {
      const call = { guildId: server.guildId, channelId: server.channel('General').id };
      faults.setProtocolVersion(call, value === '0' ? 0 : 1);
    },
  },
  'voice-no-udp': onOff('answer nothing over UDP, as behind a firewall', ({ faults }, on) => faults.blockUdp(on)),
  'voice-udp-silent': onOff('let no datagram through, in neither direction', ({ faults }, on) => faults.silenceUdp(on)),
  'voice-discovery-lost': {
    values: ['1', '3'],
    about: 'lose this many of the next datagrams of IP discovery',
    set: ({ faults }, _server, value) => faults.loseDiscoveries(numberFrom(value)),
  },
  'voice-unreachable': {
    values: ['1', '3'],
    about: 'refuse this many of the next connections to the voice gateway with HTTP status 521',
    set: ({ voiceServer }, _server, value) => {
      voiceServer.settings.upgradesToRefuse = numberFrom(value);
    },
  },
  'voice-no-ready': onOff('send no op 2 (Ready) to clients that connect', ({ faults }, on) =>
    faults.withholdVoiceAnswer(2, on),
  ),
  'voice-no-description': onOff('send no op 4 (Session Description) to clients that connect', ({ faults }, on) =>
    faults.withholdVoiceAnswer(4, on),
  ),
  'voice-no-echo': onOff('send no keep-alive datagrams back', ({ faults }, on) => faults.echoKeepAlives(!on)),
  'voice-stray-datagram': {
    values: ['10', '1'],
    about: 'send the bot a datagram of so many bytes, as those who scan ports do',
    set: ({ voiceServer, bot }, { guildId }, value) =>
      voiceServer.sendDatagram({ guildId, userId: bot.userId }, new Uint8Array(numberFrom(value))),
  },
  'voice-members-late': {
    values: ['3000'],
    about: 'announce members (op 11) this many milliseconds after the proposal that names them',
    set: ({ faults }, _server, value) => faults.announceVoiceMembersLate(numberFrom(value)),
  },
  mute: onOff('let a moderator mute the bot', (_, on, server) => server.member('olga').serverMutes('bot', on)),
  deafen: onOff('let a moderator deafen the bot', (_, on, server) => server.member('olga').serverDeafens('bot', on)),
  'voice-move': {
    values: ['4022', '4014'],
    about: 'close the voice connection with this code, and name a new voice server 1.5 s later',
    set: ({ faults }, { guildId }, value) => faults.changeVoiceServer(guildId, { closeCode: numberFrom(value) }),
  },
  'voice-move-announced': once(
    'the same, with a voice server update without an endpoint before it',
    ({ faults }, { guildId }) => faults.changeVoiceServer(guildId, { emptyEndpoint: true }),
  ),
  'voice-refuse': {
    values: ['4006', '4011', '4016'],
    about: 'close the next voice connection with this code when it identifies',
    set: ({ faults }, _server, value) => faults.refuseVoice(numberFrom(value), 1),
  },
  'voice-events-swapped': onOff('send the voice server update before the voice state update', ({ faults }, on) =>
    faults.swapVoiceEvents(on),
  ),
  'voice-state-late': {
    values: ['2500', '0'],
    about: 'send voice state updates this many milliseconds late, such as those of a kick',
    set: ({ faults }, _server, value) => void faults.delayEvent('VOICE_STATE_UPDATE', numberFrom(value)),
  },
  'voice-state-lost': onOff('send no voice state update', ({ faults }, on) => lose('VOICE_STATE_UPDATE', faults, on)),
  'voice-server-lost': onOff('send no voice server update', ({ faults }, on) =>
    lose('VOICE_SERVER_UPDATE', faults, on),
  ),
  'voice-crowd': {
    values: ['24', '130'],
    about: 'let the bot join a channel in this many more servers; with gateway-session lost it has to join all anew',
    set: (world, _server, value) => crowd(world, numberFrom(value)),
  },
  'no-speak': onOff("take the bot's permission to speak in General", (_, on, server) => {
    const general = server.channel('General');
    if (on) general.denyBot('Speak');
    else general.allowBot('Speak');
  }),
  'speak-at-once': onOff('let a changed permission to speak count at once, not with the next join', ({ faults }, on) =>
    faults.speakAppliesAtOnce(on),
  ),
  'rest-error': {
    values: ['500', '502', '503', '404', '401', '429'],
    about: "answer the bot's next request with this status",
    set: ({ faults }, _server, value) => faults.rest({ path: ANY_REST_PATH, status: numberFrom(value) }),
  },
  'rest-limit': {
    values: ['2'],
    about: "answer the bot's next request with 429, for so many seconds",
    set: ({ faults }, _server, value) => faults.rest({ path: ANY_REST_PATH, retryAfterSeconds: numberFrom(value) }),
  },
  'rest-slow': {
    values: ['4000'],
    about: "delay the bot's next request by so many milliseconds",
    set: ({ faults }, _server, value) => faults.rest({ path: ANY_REST_PATH, delayMs: numberFrom(value) }),
  },
  'rest-lost': once("handle the bot's next request, and lose the answer", ({ faults }) =>
    faults.rest({ path: ANY_REST_PATH, loseAnswer: true }),
  ),
};

const FAULT_NAMES: readonly string[] = [...Object.keys(FAULT_SWITCHES), ...Object.keys(MACHINE_SWITCHES)];

const switchOf = (name: string) => (Object.hasOwn(FAULT_SWITCHES, name) ? FAULT_SWITCHES : MACHINE_SWITCHES)[name];

const usageOf = (name: string): string => [name, switchOf(name)?.values?.join('|')].filter(Boolean).join(' ');

/** The list that `faults` shows. */
export function faultsText(): string {
  const width = Math.max(...FAULT_NAMES.map((name) => usageOf(name).length));
  const lines = FAULT_NAMES.map((name) => `  ${usageOf(name).padEnd(width)}  ${switchOf(name)?.about}`);
  return ['fault NAME [VALUE] makes something go wrong:', ...lines].join('\n');
}

const noSpeechFaults: SpeechFaults = async () => {
  throw new Error('The speech service is not one of the playground: it has no such switch.');
};

/** The switches of one world, with those that are on. */
export function createFaultBoard(
  world: World,
  { machine, speech = noSpeechFaults }: { readonly machine?: Machine; readonly speech?: SpeechFaults } = {},
) {
  const lasting = new Map<string, string>();
  return {
    names: FAULT_NAMES,
    /** Each with its values, the one that ends it where it lasts, and the one it was set to. */
    list: () =>
      FAULT_NAMES.map((name) => {
        const { values = [], about = '' } = switchOf(name) ?? {};
        return { name, values, about, ending: endingOf(values), value: lasting.get(name) };
      }),
    /** Sets the switch that `words` names, and says so. Throws for an unknown one, with the list of names. */
    async set(server: WorldServer, words: string): Promise<string> {
      const [name = '', given, ...more] = words.split(/\s+/);
      if (!FAULT_NAMES.includes(name)) throw new Error(`There is no fault ${name}; faults lists them.`);
      const { values = [], about = '' } = switchOf(name) ?? {};
      const isNumber = values.some((value) => /^\d+$/.test(value));
      const isKnown = given === undefined || (isNumber ? /^\d+$/.test(given) : values.includes(given));
      if (!isKnown || more.length > 0) throw new Error(`Type fault ${usageOf(name)}.`);
      const value = given ?? values[0] ?? '';
      await FAULT_SWITCHES[name]?.set(world, server, value, speech);
      if (Object.hasOwn(MACHINE_SWITCHES, name)) {
        if (machine === undefined) throw new Error('There is no bot on this machine.');
        await MACHINE_SWITCHES[name]?.set(machine, value);
      }
      const isOver = value === 'off' || value === '0';
      if (isOver || endingOf(values) === undefined) lasting.delete(name);
      else lasting.set(name, value);
      return value === 'off' ? `Over: ${name}.` : `Done: ${name}${value === '' ? '' : ` ${value}`} (${about}).`;
    },
  };
}

/** What switches it off again: where 0 comes first, it is the fault, and no end of it. */
function endingOf(values: readonly string[]): 'off' | '0' | undefined {
  if (values.includes('off')) return 'off';
  return values.at(-1) === '0' ? '0' : undefined;
}
