import { Buffer } from 'node:buffer';
import type { WebSocket } from 'ws';
import type { Listener } from '../voice/protocol/types.ts';
import type { Person, SentInteraction, VisibleMessage, VisibleModal, World, WorldServer } from '../world/world.ts';
import type { LogFeed } from './log-feed.ts';
import { type Act, requestSchema } from './requests.ts';
import { frameView, type MemberNotes, messageOnPage, messagesAt, voiceView } from './screen-view.ts';
import { soundFrame } from './sound-frame.ts';
import type { Utterances } from './utterances.ts';

/** The switches of the prompt's `fault`. */
export interface FaultBoard {
  /** Each with the value it was set to, where that lasts. */
  list(): readonly {
    readonly name: string;
    readonly values: readonly string[];
    readonly about: string;
    readonly value: string | undefined;
  }[];
  /** By its name and value, as typed; resolves with what was done. */
  set(server: WorldServer, words: string): Promise<string>;
}

export interface PageSource {
  readonly world: World;
  readonly faults: FaultBoard;
  readonly feed: LogFeed;
  readonly utterances: Utterances;
  readonly notes: MemberNotes;
  /** Whether servers may have messages read out. */
  readonly readsMessages: boolean;
}

/** A control without effect, or a text that takes minutes, is looked after for so long; messages come all the same. */
const ANSWER_TIMEOUT_MS = 150_000;
/** A browser that stands still gets no sound meanwhile: it would hear it late. */
const MOST_WAITING_BYTES = 256 * 1_024;
/** More than the largest file twice, in base64. A browser that stands still for longer connects anew when it wakes up. */
const MOST_QUEUED_BYTES = 32 * 1_024 * 1_024;
/** It is told the reason where it wakes up in time. */
const STOOD_STILL = 4408;
/** The counters of the voice connection have no event. */
const VOICE_EVERY_MS = 500;

const wordsOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** One browser window: a person's eyes, ears and hands. */
export function serveConnection(socket: WebSocket, source: PageSource) {
  const { world, faults, feed, utterances } = source;
  const closed = new AbortController();
  let person: Person | undefined;
  let place = 'general';
  let hears = '';
  let lastFrame = '';
  let lastVoice = '';
  let wasOnline = false;
  let shown = new Map<string, string>();
  const modals = new Map<string, VisibleModal>();
  let listener: Listener | undefined;
  let stopHearing = () => {};
  let turn: NodeJS.Immediate | undefined;

  function sendText(text: string): void {
    if (closed.signal.aborted) return;
    if (socket.bufferedAmount > MOST_QUEUED_BYTES) {
      stop(new Error('The browser stands still'));
      socket.close(STOOD_STILL);
    } else socket.send(text);
  }
  const send = (message: unknown) => sendText(JSON.stringify(message));

  /** Changes come in bursts: one picture of the world for all of them. */
  const refreshSoon = () => {
    turn ??= setImmediate(() => {
      turn = undefined;
      try {
        refresh();
      } catch (error) {
        // The channel was deleted, say, or the member has left.
        send({ tell: 'problem', text: wordsOf(error) });
      }
    });
  };

  function refresh(): void {
    if (!person) return;
    const frame = JSON.stringify(frameView(source, person, place));
    if (frame !== lastFrame) sendText(`{"tell":"frame","frame":${frame}}`);
    lastFrame = frame;
    refreshMessages(person);
    refreshVoice();
    listen();
  }

  function refreshMessages(viewer: Person): void {
    const now = new Map<string, string>();
    const changed: unknown[] = [];
    for (const message of messagesAt(viewer, place)) {
      const onPage = messageOnPage(message);
      const text = JSON.stringify(onPage);
      now.set(onPage.id, text);
      if (shown.get(onPage.id) !== text) changed.push(onPage);
    }
    const gone = [...shown.keys()].filter((id) => !now.has(id));
    shown = now;
    if (changed.length + gone.length > 0) send({ tell: 'messages', place, changed, gone });
  }

  /** The ears of the chosen member, whose listener is another one after each move. */
  function listen(): void {
    const member = world.members.find(({ name, voice }) => name === hears && voice !== undefined);
    const ears = member && world.member(hears).listener;
    if (ears === listener) return;
    stopHearing();
    listener = ears;
    stopHearing =
      ears?.onFrame((packet, opus) => {
        if (opus && socket.bufferedAmount < MOST_WAITING_BYTES) socket.send(soundFrame(packet, opus));
      }) ?? (() => {});
  }

  function refreshVoice(): void {
    const voice = JSON.stringify(voiceView(world) ?? null);
    if (voice !== lastVoice) sendText(`{"tell":"voice","voice":${voice}}`);
    lastVoice = voice;
  }

  /** What changes without an event. */
  function lookAgain(): void {
    refreshVoice();
    if (world.bot.online !== wasOnline) refreshSoon();
    wasOnline = world.bot.online;
  }

  const acting = (): Person => {
    if (!person) throw new Error('Say first who looks.');
    return person;
  };
  const messageCalled = (id: string): VisibleMessage => {
    const found = messagesAt(acting(), place).find(({ messageId }) => messageId === id);
    if (!found) throw new Error('This message no longer exists');
    return found;
  };

  /** The answer is a message like others; a window that opens, and a missing answer, are for this browser alone. */
  async function followAnswer(sent: SentInteraction): Promise<void> {
    const answer = await sent
      .answer({ timeoutMs: ANSWER_TIMEOUT_MS, signal: closed.signal })
      // Where nothing visible changes there is none, and the browser may be gone.
      .catch(() => undefined);
    if (!answer || closed.signal.aborted) return;
    if ('modal' in answer) {
      modals.set(answer.modal.interactionId, answer.modal);
      send({ tell: 'modal', modal: answer.modal });
    } else if (answer.reply.failed) send({ tell: 'unanswered' });
  }

  async function interact(sending: Promise<SentInteraction>): Promise<void> {
    void followAnswer(await sending);
  }

  async function perform(act: Act): Promise<unknown> {
    switch (act.do) {
      case 'look':
        return look(act);
      case 'language':
        acting().setsLanguage(act.code);
        return refresh();
      case 'command':
        return interact(acting().command(act.name, act.options, { in: place }));
      case 'complete':
        return acting().autocompletes(act.name, { [act.option]: act.typed }, { in: place, filled: act.filled });
      case 'write':
        acting().says(act.text, { in: place, ...(act.files.length > 0 ? { files: act.files } : {}) });
        return undefined;
      case 'press':
        return interact(acting().presses(messageCalled(act.message), act.control));
      case 'pick':
        return interact(acting().selects(messageCalled(act.message), act.control, act.values));
      case 'submit': {
        const modal = modals.get(act.modal);
        if (!modal) throw new Error('This window is no longer open');
        await interact(acting().submits(modal, act.fields));
        return modals.delete(act.modal);
      }
      case 'app':
        return interact(acting().usesOnMessage(act.command, messageCalled(act.message)));
      case 'file': {
        const file = messageCalled(act.message).files.find(({ name }) => name === act.name);
        if (!file) throw new Error('This file no longer exists');
        return { type: file.contentType, base64: Buffer.from(file.bytes).toString('base64') };
      }
      case 'join':
        acting().joins(act.channel);
        return refreshSoon();
      case 'leave':
        return acting().leaves();
      case 'mute':
        return acting().mutesSelf(act.on);
      case 'deafen':
        return acting().deafensSelf(act.on);
      case 'fault':
        return { said: await faults.set(world, act.words), faults: faults.list() };
    }
  }

  function look({ as, at, hear }: Extract<Act, { do: 'look' }>): unknown {
    const next = world.member(as);
    next.sees(at);
    if (next !== person || at !== place) {
      shown = new Map();
      send({ tell: 'messages', place: at, fresh: true, changed: [], gone: [] });
    }
    [person, place, hears] = [next, at, hear];
    refresh();
    return { faults: faults.list() };
  }

  async function answer(text: string): Promise<void> {
    const { id, act } = requestSchema.parse(JSON.parse(text));
    try {
      send({ tell: 'answer', id, value: (await perform(act)) ?? null });
    } catch (error) {
      // As Discord's client shows what it does not send.
      send({ tell: 'answer', id, error: wordsOf(error) });
    }
  }

  const stops = [
    world.onChange(refreshSoon),
    feed.watch((line) => send({ tell: 'log', lines: [line] })),
    utterances.watch((utterance) => send({ tell: 'utterance', utterance })),
  ];
  const voiceTimer = setInterval(lookAgain, VOICE_EVERY_MS);
  send({ tell: 'log', lines: feed.latest, fresh: true });
  for (const utterance of utterances.latest) send({ tell: 'utterance', utterance });

  socket.on('message', (data: Buffer) => {
    if (closed.signal.aborted) return;
    answer(data.toString('utf8')).catch(() => socket.close(4400, 'Not a request of this page'));
  });
  function stop(reason: Error): void {
    closed.abort(reason);
    for (const stopWatching of stops) stopWatching();
    clearInterval(voiceTimer);
    clearImmediate(turn);
    stopHearing();
  }
  socket.on('close', () => stop(new Error('The browser is gone')));
}
