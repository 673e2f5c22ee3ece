import type { HeardPacket, Listener } from '../voice/protocol/types.ts';
import type { ObservedInteraction, World } from '../world/world.ts';
import type { LogFeed, LogLine } from './log-feed.ts';
import { epochMs } from './screen-view.ts';

const KEPT = 20;

/** In the order in which they usually happen. */
type Step = 'acknowledged' | 'joined' | 'encrypted' | 'requested' | 'answered' | 'firstPacket' | 'lastPacket' | 'done';

/** One use of the bot, and the way of its text to the listeners; times in milliseconds after the interaction. */
interface Utterance {
  readonly id: string;
  readonly by: string;
  /** Typed after a slash; '' where something else was used. */
  readonly command: string;
  /** What stands on the button, menu or form, or under Apps. */
  readonly control: string;
  readonly text: string;
  readonly atMs: number;
  readonly steps: Partial<Record<Step, number>>;
  /** The bot has put a text of it in its queue. */
  queued: boolean;
  packets: number;
  encrypted: boolean | undefined;
  outcome: string | undefined;
  voice: string | undefined;
  requestId: string | undefined;
  credits: { readonly used: number; readonly remaining: number | undefined } | undefined;
}

export type Utterances = ReturnType<typeof followUtterances>;

/** Follows each interaction through Discord, the bot's log and the ears of a listener. */
export function followUtterances(world: World, feed: LogFeed) {
  const all: Utterance[] = [];
  const observed = new Map<string, ObservedInteraction>();
  const watchers = new Set<(utterance: Utterance) => void>();
  let listener: Listener | undefined;
  let stopListening = () => {};

  const changed = (utterance: Utterance) => {
    for (const watch of watchers) watch(utterance);
  };
  const mark = (utterance: Utterance | undefined, step: Step, epoch: number) => {
    if (!utterance || utterance.steps[step] !== undefined) return;
    utterance.steps[step] = Math.max(0, Math.round(epoch - utterance.atMs));
    changed(utterance);
  };
  const running = () => all.filter(({ outcome }) => outcome === undefined);
  /** The oldest text that is still on its way to that step. */
  const awaiting = (step: Step) => running().find(({ queued, steps }) => queued && steps[step] === undefined);
  const speaking = () => all.findLast(({ steps }) => steps.firstPacket !== undefined && steps.done === undefined);

  /** A button such as "Speak again" is about the text of the answer that it stands on. */
  const textOf = ({ data, answered }: ObservedInteraction): string =>
    textIn(data) || (all.find(({ id }) => id === answered)?.text ?? '');

  function begin(interaction: ObservedInteraction): void {
    if (interaction.kind === 'autocomplete') return;
    const user = world.members.find(({ id }) => id === interaction.userId);
    const utterance: Utterance = {
      id: interaction.id,
      by: user?.displayName ?? interaction.userId,
      ...usedIn(interaction),
      text: textOf(interaction),
      atMs: epochMs(interaction.sentAtMs),
      steps: {},
      queued: false,
      packets: 0,
      encrypted: undefined,
      outcome: undefined,
      voice: undefined,
      requestId: undefined,
      credits: undefined,
    };
    observed.set(interaction.id, interaction);
    all.push(utterance);
    if (all.length > KEPT) observed.delete(all.shift()?.id ?? '');
    changed(utterance);
  }

  function lookAtWorld(): void {
    for (const utterance of running()) {
      const { acknowledgedAtMs } = observed.get(utterance.id) ?? {};
      if (acknowledgedAtMs !== undefined) mark(utterance, 'acknowledged', epochMs(acknowledgedAtMs));
    }
    const channel = world.channels.find(({ members }) => members.includes('bot'));
    if (channel && listener === undefined) mark(awaiting('joined') ?? running().at(-1), 'joined', Date.now());
    const ears = channel?.listeners[0];
    if (ears === listener) return;
    stopListening();
    listener = ears;
    stopListening = ears?.onPacket(hear) ?? (() => {});
  }

  function hear(packet: HeardPacket): void {
    if (!packet.audible) return;
    const utterance = speaking() ?? awaiting('firstPacket');
    if (!utterance) return;
    utterance.packets += 1;
    utterance.encrypted = packet.encrypted && utterance.encrypted !== false;
    mark(utterance, 'firstPacket', epochMs(packet.atMs));
    utterance.steps.lastPacket = Math.round(epochMs(packet.atMs) - utterance.atMs);
    if (utterance.packets % 10 === 0) changed(utterance);
  }

  function read(line: LogLine): void {
    const at = Date.parse(String(line.time));
    if (line.msg === 'Queued') {
      const next = all.findLast(({ queued, outcome }) => !queued && outcome === undefined);
      if (next) next.queued = true;
    }
    if (line.msg === 'Joined a voice channel') mark(awaiting('encrypted'), 'encrypted', at);
    if (line.msg === 'speech service answered' && line.path === '/api/v1/speech') {
      const utterance = awaiting('answered');
      mark(utterance, 'requested', at - Number(line.durationMs));
      mark(utterance, 'answered', at);
    }
    const ended = all.find(({ id }) => id === line.interactionId);
    if (ended && typeof line.outcome === 'string') end(ended, line, at);
  }

  function end(utterance: Utterance, line: LogLine, at: number): void {
    utterance.outcome = String(line.outcome);
    if (typeof line.voice === 'string') utterance.voice = line.voice;
    if (typeof line.requestId === 'string') utterance.requestId = line.requestId;
    if (typeof line.creditsUsed === 'number') {
      const remaining = typeof line.creditsRemaining === 'number' ? line.creditsRemaining : undefined;
      utterance.credits = { used: line.creditsUsed, remaining };
    }
    mark(utterance, 'done', at);
  }

  const stops = [world.onInteraction(begin), world.onChange(lookAtWorld), feed.watch(read)];
  lookAtWorld();
  return {
    latest: all as readonly Utterance[],
    /** Returns the function that ends it. */
    watch(watcher: (utterance: Utterance) => void): () => void {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    close(): void {
      for (const stop of stops) stop();
      stopListening();
    },
  };
}

const ON_MESSAGE = 3;

function usedIn({ commandName = '', control = '', data }: ObservedInteraction): Pick<Utterance, 'command' | 'control'> {
  if (commandName === '') return { command: '', control };
  return (data as InteractionData).type === ON_MESSAGE
    ? { command: '', control: commandName }
    : { command: commandName, control: '' };
}

interface InteractionData {
  readonly type?: number;
  readonly options?: readonly {
    readonly name: string;
    readonly value?: unknown;
    readonly options?: InteractionData['options'];
  }[];
  /** Of a form. */
  readonly components?: readonly {
    readonly component?: { readonly custom_id?: string; readonly value?: unknown };
  }[];
  readonly target_id?: string;
  readonly resolved?: { readonly messages?: Readonly<Record<string, { readonly content?: string }>> };
}

/** The words to be spoken: the option or field `text`, or those of the message that a command was used on. */
function textIn(data: unknown): string {
  const { options = [], components = [], target_id: target, resolved } = data as InteractionData;
  for (const { component } of components) if (component?.custom_id === 'text') return String(component.value);
  for (const option of options) {
    if (option.name === 'text') return String(option.value);
    const nested = option.options ? textIn(option) : '';
    if (nested !== '') return nested;
  }
  return (target === undefined ? undefined : resolved?.messages?.[target]?.content) ?? '';
}
