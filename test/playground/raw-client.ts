import { once } from 'node:events';
import { GatewayIntentBits } from 'discord-api-types/v10';
// The global ones need not be of one kind where another test has loaded discord.js.
import { FormData, fetch, type Headers } from 'undici';
import { WebSocket } from 'ws';
import type { World } from '../../src/playground/world/world.ts';
import { until } from './inbox.ts';

interface RawAnswer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: bodies are looked at by their paths, as a reader of the documents would.
  readonly body: any;
  readonly headers: Headers;
}

/** One request as it stands in Discord's documents, with the bot's token unless told otherwise. */
export async function call(
  world: World,
  method: string,
  path: string,
  body?: unknown,
  options: { token?: string | null; headers?: Record<string, string> } = {},
): Promise<RawAnswer> {
  const token = options.token === undefined ? world.botEnv.DISCORD_TOKEN : options.token;
  const form = body instanceof FormData;
  const response = await fetch(`${world.botEnv.DISCORD_API_URL}/v10${path}`, {
    method,
    headers: {
      'user-agent': 'DiscordBot (https://example.org, 1)',
      ...(token === null ? {} : { authorization: `Bot ${token}` }),
      ...(body === undefined || form ? {} : { 'content-type': 'application/json' }),
      ...options.headers,
    },
    ...(body === undefined ? {} : { body: form ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text), headers: response.headers };
}

/** All that a body is refused for with 50035, each as `options.0.name BASE_TYPE_REQUIRED`. */
export function refusals({ status, body }: RawAnswer): string[] {
  // biome-ignore lint/suspicious/noExplicitAny: see RawAnswer.
  const below = (tree: any, at: readonly string[]): string[] =>
    Object.entries<object>(tree).flatMap(([step, inner]) =>
      step === '_errors'
        ? (inner as { code: string }[]).map(({ code }) => `${at.join('.')} ${code}`)
        : below(inner, [...at, step]),
    );
  return status === 400 && body?.code === 50035 ? below(body.errors, []) : [`${status} ${JSON.stringify(body)}`];
}

/** A multipart body: `payload_json` and files. */
export function form(payload: unknown, ...files: { name: string; type: string; bytes: Uint8Array }[]): FormData {
  const data = new FormData();
  data.append('payload_json', JSON.stringify(payload));
  for (const [index, file] of files.entries()) {
    data.append(`files[${index}]`, new Blob([new Uint8Array(file.bytes)], { type: file.type }), file.name);
  }
  return data;
}

interface RawPayload {
  readonly op: number;
  readonly t: string | null;
  readonly s: number | null;
  // biome-ignore lint/suspicious/noExplicitAny: see RawAnswer.
  readonly d: any;
}

export type RawGateway = Awaited<ReturnType<typeof connect>>;

export async function connect(world: World, query = '?v=10&encoding=json') {
  const socket = new WebSocket(`${new URL(world.botEnv.DISCORD_API_URL).origin.replace('http', 'ws')}/${query}`);
  const received: RawPayload[] = [];
  // Not `once`: it would also reject on an error, unhandled, and 'close' follows every error.
  const closing = new Promise<number>((resolve) => socket.once('close', resolve));
  socket.on('error', () => {});
  socket.on('message', (data) => received.push(JSON.parse(String(data))));
  await once(socket, 'open');
  /** The first matching payload, past or coming. */
  const next = (matches: (payload: RawPayload) => boolean) =>
    until(
      () => received.find(matches),
      () => received.map(({ op, t }) => t ?? `op ${op}`).join(', '),
    );
  return {
    received,
    next,
    event: (name: string) => next(({ t }) => t === name),
    send: (op: number, d: unknown) => socket.send(JSON.stringify({ op, d })),
    sendText: (text: string) => socket.send(text),
    /** The code the server closes with. */
    closed: () => closing,
    close: (code: number) => socket.close(code),
    cut: () => socket.terminate(),
  };
}

export const identity = (world: World, change: Record<string, unknown> = {}) => ({
  token: world.botEnv.DISCORD_TOKEN,
  intents: GatewayIntentBits.Guilds | GatewayIntentBits.GuildVoiceStates | GatewayIntentBits.GuildMessages,
  properties: { os: 'linux', browser: 'raw', device: 'raw' },
  ...change,
});

/** Connects and identifies. */
export async function identified(world: World, change: Record<string, unknown> = {}): Promise<RawGateway> {
  const gateway = await connect(world);
  gateway.send(2, identity(world, change));
  return gateway;
}

/** Connects, identifies and waits for the server. */
export async function logIn(world: World, change: Record<string, unknown> = {}): Promise<RawGateway> {
  const gateway = await identified(world, change);
  await gateway.event('GUILD_CREATE');
  return gateway;
}

/** `d` of the INTERACTION_CREATE of this id. */
export async function interactionOf(gateway: RawGateway, id: string) {
  return (await gateway.next(({ t, d }) => t === 'INTERACTION_CREATE' && d.id === id)).d;
}
