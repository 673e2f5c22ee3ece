import { Buffer } from 'node:buffer';
import type { WebSocket } from 'ws';
import * as z from 'zod';
import type { FaultBoard } from '../demo/faults.ts';
import { CommandRefused, parseCommandLine, type VisibleModal, wordsOf } from '../people/typed-command.ts';
import { OPTION } from '../state/model.ts';
import type { Listener } from '../voice/listening/listener.ts';
import type { HeardPacket } from '../voice/protocol.ts';
import { createCompletion } from '../world/completion.ts';
import type { Person, SentInteraction, VisibleMessage, World } from '../world/world.ts';

type LogLine = Readonly<Record<string, unknown>>;

const KEPT_LINES = 300;

export class LogFeed {
  readonly latest: LogLine[] = [];
  readonly #watchers = new Set<(line: LogLine) => void>();

  push(line: LogLine): void {
    this.latest.push(line);
    if (this.latest.length > KEPT_LINES) this.latest.shift();
    for (const watch of this.#watchers) watch(line);
  }

  watch(watcher: (line: LogLine) => void): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }
}

export interface PageSource {
  readonly world: World;
  readonly faults: FaultBoard;
  readonly feed: LogFeed;
}

/** An answer may take minutes, because the bot may speak a text before it replies. A later reply still appears on the page. */
const ANSWER_TIMEOUT_MS = 150_000;
/** The next click waits this long for the answer to a menu choice. A bot that has ended never answers. */
const PICK_TIMEOUT_MS = 5_000;
/** If a browser has more unread bytes than this, it gets no audio: a suspended browser would play the audio late. */
const MAX_WAITING_BYTES = 256 * 1_024;
/** A browser with more unread bytes than this is disconnected until it wakes up. The limit fits two large files. */
const MAX_QUEUED_BYTES = 32 * 1_024 * 1_024;
/** How often the playground checks, for the page, if the bot is still online. */
const LOOK_EVERY_MS = 500;
const SHOWN_MESSAGES = 60;

const file = z
  .strictObject({ name: z.string().min(1).max(255), type: z.string().max(100), base64: z.base64() })
  .transform(({ name, type, base64 }) => ({
    name,
    bytes: new Uint8Array(Buffer.from(base64, 'base64')),
    contentType: type || 'application/octet-stream',
  }));
const id = z.string().max(32);

const actSchema = z.discriminatedUnion('do', [
  /** Chooses the acting member and the channel on the page. The page sends this request first and after each change. */
  z.strictObject({ do: z.literal('look'), as: z.string(), at: z.string() }),
  z.strictObject({ do: z.literal('language'), code: z.string().max(10) }),
  z.strictObject({ do: z.literal('line'), line: z.string(), files: z.array(file) }),
  z.strictObject({ do: z.literal('complete'), line: z.string() }),
  z.strictObject({ do: z.literal('press'), message: id, control: z.string() }),
  z.strictObject({ do: z.literal('pick'), message: id, control: z.string(), values: z.array(z.string()) }),
  z.strictObject({
    do: z.literal('submit'),
    modal: id,
    fields: z.record(z.string(), z.union([z.string(), z.array(z.string()), z.array(file)])),
  }),
  z.strictObject({ do: z.literal('app'), command: z.string(), message: id }),
  z.strictObject({ do: z.literal('file'), message: id, name: z.string() }),
  z.strictObject({ do: z.literal('join'), channel: z.string() }),
  z.strictObject({ do: z.literal('leave') }),
  z.strictObject({ do: z.literal('fault'), words: z.string().max(100) }),
]);
type Act = z.infer<typeof actSchema>;

const requestSchema = z.strictObject({ id: z.int(), act: actSchema });

export function serveConnection(socket: WebSocket, { world, faults, feed }: PageSource) {
  const closed = new AbortController();
  const completion = createCompletion(() => world.bot.commands);
  let person: Person | undefined;
  let place = 'general';
  let lastScreen = '';
  let lastFaults = '';
  let wasOnline = false;
  const modals = new Map<string, VisibleModal>();
  let listener: Listener | undefined;
  let stopHearing = () => {};
  let turn: NodeJS.Immediate | undefined;

  function sendText(text: string): void {
    if (closed.signal.aborted) return;
    if (socket.bufferedAmount > MAX_QUEUED_BYTES) socket.terminate();
    else socket.send(text);
  }
  const send = (message: unknown) => sendText(JSON.stringify(message));

  /** Several changes at once reach the page as one update. */
  const refreshSoon = () => {
    turn ??= setImmediate(() => {
      turn = undefined;
      try {
        refresh();
      } catch (error) {
        // The page shows why its view cannot be updated, for example because the channel was deleted or the member has left.
        send({ tell: 'problem', text: wordsOf(error) });
      }
    });
  };

  function refresh(): void {
    if (!person) return;
    const screen = JSON.stringify(screenView(world, person, place));
    if (screen !== lastScreen) sendText(`{"tell":"screen","screen":${screen}}`);
    lastScreen = screen;
    const list = JSON.stringify(faults.list());
    if (list !== lastFaults) sendText(`{"tell":"faults","faults":${list}}`);
    lastFaults = list;
    listen(person);
  }

  /** Sends the page what the member hears. In each voice channel, the member hears through another `Listener`. */
  function listen({ voiceChannel, name }: Person): void {
    const ears = voiceChannel === undefined ? undefined : world.member(name).listener;
    if (ears === listener) return;
    stopHearing();
    listener = ears;
    stopHearing =
      ears?.onFrame((packet, opus) => {
        if (opus && !packet.silence && socket.bufferedAmount < MAX_WAITING_BYTES) socket.send(audioFrame(packet, opus));
      }) ?? (() => {});
  }

  function lookAgain(): void {
    if (world.bot.online !== wasOnline) refreshSoon();
    wasOnline = world.bot.online;
  }

  const acting = (): Person => {
    if (!person) throw new Error('Say first who looks.');
    return person;
  };
  const messageCalled = (messageId: string): VisibleMessage => {
    const found = messagesAt(acting(), place).find((message) => message.messageId === messageId);
    if (!found) throw new Error('This message no longer exists');
    return found;
  };

  /** Shows a form or an error only in the browser that acted. Replies are messages, which every page shows. */
  async function followAnswer(sent: SentInteraction, timeoutMs = ANSWER_TIMEOUT_MS): Promise<void> {
    const answer = await sent
      .answer({ timeoutMs, signal: closed.signal })
      // Some button presses have no visible effect, and the browser may have closed the page: neither is an error.
      .catch(() => undefined);
    if (!answer || closed.signal.aborted) return;
    if ('modal' in answer) {
      modals.set(answer.modal.interactionId, answer.modal);
      send({ tell: 'modal', modal: answer.modal });
    } else if (answer.reply.failed) send({ tell: 'problem', text: 'The application did not respond' });
  }

  async function interact(sending: Promise<SentInteraction>): Promise<void> {
    void followAnswer(await sending);
  }

  async function line({ line: typed, files }: Extract<Act, { do: 'line' }>): Promise<void> {
    if (!typed.startsWith('/')) {
      acting().says(typed, { in: place, files });
      return;
    }
    const { chosen, values } = parseCommandLine(world.bot.commands, completion.chosen(typed));
    const takesFiles = chosen.options.filter(({ type }) => type === OPTION.attachment);
    for (const [index, { name }] of takesFiles.entries()) if (files[index]) values[name] = files[index];
    const path = [chosen.command.name, ...chosen.steps.map(({ name }) => name)].join(' ');
    await interact(acting().command(path, values, { in: place }));
  }

  async function perform(act: Act): Promise<unknown> {
    switch (act.do) {
      case 'look': {
        const next = world.member(act.as);
        next.sees(act.at);
        [person, place] = [next, act.at];
        return refresh();
      }
      case 'language':
        acting().setsLanguage(act.code);
        return refresh();
      case 'line':
        return line(act);
      case 'complete':
        return completion.complete(act.line, { person: acting(), server: world, place });
      case 'press':
        return interact(acting().presses(messageCalled(act.message), act.control));
      case 'pick':
        return followAnswer(
          await acting().selects(messageCalled(act.message), act.control, act.values),
          PICK_TIMEOUT_MS,
        );
      case 'submit': {
        const modal = modals.get(act.modal);
        if (!modal) throw new Error('This window is no longer open');
        await interact(acting().submits(modal, act.fields));
        return modals.delete(act.modal);
      }
      case 'app':
        return interact(acting().usesOnMessage(act.command, messageCalled(act.message)));
      case 'file': {
        const found = messageCalled(act.message).files.find(({ name }) => name === act.name);
        if (!found) throw new Error('This file no longer exists');
        return { base64: Buffer.from(found.bytes).toString('base64') };
      }
      case 'join':
        acting().joins(act.channel);
        return refreshSoon();
      case 'leave':
        return acting().leaves();
      case 'fault': {
        const said = await faults.set(act.words);
        refreshSoon();
        return said;
      }
    }
  }

  async function answer(text: string): Promise<void> {
    const { id: request, act } = requestSchema.parse(JSON.parse(text));
    try {
      send({ tell: 'answer', id: request, value: (await perform(act)) ?? null });
    } catch (error) {
      // If a member's input is rejected, the page shows the user why, as Discord's client does.
      send({ tell: 'answer', id: request, error: wordsOf(error) });
    }
  }

  const stops = [world.onChange(refreshSoon), feed.watch((line) => send({ tell: 'log', lines: [line] }))];
  const timer = setInterval(lookAgain, LOOK_EVERY_MS);
  send({ tell: 'log', lines: feed.latest, fresh: true });

  socket.on('message', (data: Buffer) => {
    answer(data.toString('utf8')).catch(() => socket.close(4400, 'Not a request of this page'));
  });
  socket.on('close', () => {
    closed.abort(new Error('The browser is gone'));
    for (const stopWatching of stops) stopWatching();
    clearInterval(timer);
    clearImmediate(turn);
    stopHearing();
  });
}

function screenView(world: World, person: Person, place: string) {
  const registered = new Map(world.bot.commands.map(({ id, name }) => [id, name]));
  return {
    server: world.name,
    me: person.id,
    place,
    channels: world.channels.map(({ id, name, kind, userLimit }) => ({ id, name, kind, limit: userLimit })),
    members: world.members,
    roles: Object.fromEntries(world.roles),
    botOnline: world.bot.online,
    apps: commandsSeen(person, place)
      .filter(({ kind }) => kind === 'message')
      .map(({ id, name }) => ({ name: registered.get(id), shown: name })),
    messages: messagesAt(person, place).map((message) => ({
      id: message.messageId,
      author: message.author,
      authorId: message.authorId,
      command: message.command,
      content: message.content,
      components: message.components,
      ephemeral: message.ephemeral,
      thinking: message.thinking,
      edited: message.edited,
      voice: message.voiceMessage,
      replyTo: message.repliesTo,
      atMs: Math.round(performance.timeOrigin + message.createdAtMs),
      files: message.files.map(({ name, contentType, size }) => ({ name, type: contentType, size })),
    })),
  };
}

const messagesAt = (person: Person, place: string): readonly VisibleMessage[] =>
  person.sees(place).slice(-SHOWN_MESSAGES);

function commandsSeen(person: Person, place: string) {
  try {
    return person.seesCommands({ in: place });
  } catch (error) {
    // A member without the permission to use commands sees no commands, as in Discord's client.
    if (error instanceof CommandRefused) return [];
    throw error;
  }
}

/** A binary message for `client/player.js`: RTP timestamp, SSRC and speaker's id (big-endian), then the Opus frame. */
function audioFrame({ timestamp, ssrc, userId }: HeardPacket, opus: Uint8Array): Buffer {
  const header = Buffer.alloc(16);
  header.writeUInt32BE(timestamp, 0);
  header.writeUInt32BE(ssrc, 4);
  header.writeBigUInt64BE(BigInt(userId), 8);
  return Buffer.concat([header, opus]);
}
