import { refusal, UserError } from '../../errors/user-errors.ts';
import { type Text, text } from '../../texts/catalog.ts';
import type { LeaveReason, PresenceEvent, SpeakerLimits, VoicePlace } from '../presence/channel-presence.ts';
import { type LiveItem, StoppedByMember } from '../queue/queue-item.ts';

/** A server's waiting texts. Lanes (members or conversations) take turns, and texts of a lane keep their order. */
export interface Queue {
  /** The lanes (each with a member's or conversation's waiting texts) in the order of their turns. None is empty. */
  readonly lanes: readonly Lane[];
  /** The lane (member or conversation) that is being spoken: a new lane's texts go before this lane's next text. */
  readonly turnOf: string | undefined;
}

type Lane = readonly [LiveItem, ...LiveItem[]];

const laneOf = ({ order }: LiveItem) => order.lane ?? order.userId;

export const EMPTY_QUEUE: Queue = { lanes: [], turnOf: undefined };

/** Throws a UserError if the queue is full, or has as many texts of the member as it may. */
export function enqueue({ lanes, turnOf }: Queue, item: LiveItem, limits: SpeakerLimits): Queue {
  const { queueLimit, memberQueueLimit } = limits;
  const waiting = lanes.flat();
  if (waiting.length >= queueLimit) throw new UserError(refusal('queue-full', { limit: queueLimit }));
  const itsMembers = waiting.filter(({ order }) => order.userId === item.order.userId);
  if (itsMembers.length >= memberQueueLimit)
    throw new UserError(refusal('own-queue-full', { limit: memberQueueLimit }));
  const at = lanes.findIndex(([first]) => laneOf(first) === laneOf(item));
  const lane = lanes[at];
  if (lane) return { turnOf, lanes: lanes.with(at, [...lane, item]) };
  // A new lane (a member or conversation) goes last, but before the lane that is being spoken and has had its turn.
  const [last] = lanes.at(-1) ?? [];
  const isBehind = laneOf(item) !== turnOf && last !== undefined && laneOf(last) === turnOf;
  return { turnOf, lanes: lanes.toSpliced(isBehind ? lanes.length - 1 : lanes.length, 0, [item]) };
}

/** Removes the next text from the queue. Its lane then counts as being spoken. With an empty queue, no lane does. */
export function dequeue({ lanes: [lane, ...others] }: Queue) {
  if (!lane) return { item: undefined, queue: EMPTY_QUEUE };
  const [item, ...rest] = lane;
  return { item, queue: { turnOf: laneOf(item), lanes: [...others, ...lanesOf(rest)] } };
}

/** All queued texts in the order of their turns, if no other texts come. */
export function inOrder(queue: Queue): readonly LiveItem[] {
  const items: LiveItem[] = [];
  for (let turn = dequeue(queue); turn.item; turn = dequeue(turn.queue)) items.push(turn.item);
  return items;
}

export function withdraw(queue: Queue, matches: (item: LiveItem) => boolean) {
  const lanes = queue.lanes.flatMap((lane) => lanesOf(lane.filter((item) => !matches(item))));
  return { queue: { ...queue, lanes }, withdrawn: inOrder(queue).filter(matches) };
}

function lanesOf([first, ...rest]: readonly LiveItem[]): readonly Lane[] {
  return first === undefined ? [] : [[first, ...rest]];
}

type Turn =
  | { readonly kind: 'idle' }
  /** 'between': the next text has not started. If a paused text is skipped, the next text starts paused, too. */
  | { readonly kind: 'between'; readonly isPaused: boolean }
  | { readonly kind: 'serving'; readonly isPaused: boolean; readonly item: LiveItem };

export interface SpeakerState {
  readonly queue: Queue;
  readonly turn: Turn;
  readonly usedFrom: string | undefined;
  /** The error for new requests once the bot is stopping, which may still finish the current text. */
  readonly refusal: UserError | undefined;
}

export interface SpeakerFacts {
  /** The id of the voice channel that the bot is in or is joining. */
  readonly channelId: string | undefined;
  readonly listeners: (channelId: string, withoutUserId?: string) => number;
  readonly obstacle: (channelId: string) => Text | undefined;
  readonly limits: SpeakerLimits;
}

export type SpeakerEvent =
  | PresenceEvent
  | { type: 'submit'; item: LiveItem }
  | { type: 'join'; place: VoicePlace; userId: string | undefined; textChannelId: string | undefined }
  | { type: 'take-turn' | 'turn-ended' }
  | { type: 'cancel'; items: readonly LiveItem[]; reason: UserError }
  | { type: 'stop'; byUserId: string | undefined }
  | { type: 'pause' | 'resume' | 'paused-too-long' | 'access-changed' | 'put-into-audience' }
  | { type: 'sent-away' | 'drain' | 'close'; reason: Text };

/** Actions that follow from a change of a speaker's state, to be carried out in the given order. */
export type SpeakerEffect =
  | { type: 'fail-waiting'; items: readonly LiveItem[]; reason: UserError }
  | { type: 'cancel-current'; item: LiveItem; reason: UserError }
  | { type: 'relocate'; item: LiveItem; place: VoicePlace }
  | { type: 'wake' | 'start-over' | 'hold' | 'go-on' | 'abort-joins' }
  | { type: 'leave'; reason: LeaveReason; obstacle: Text | undefined }
  | { type: 'report-left'; left: Left; usedFrom: string | undefined };

type Left = Extract<PresenceEvent, { type: 'left' }>;

interface SpeakerTransition {
  readonly state: SpeakerState;
  readonly effects: readonly SpeakerEffect[];
}

export const INITIAL_STATE: SpeakerState = {
  queue: EMPTY_QUEUE,
  turn: { kind: 'idle' },
  usedFrom: undefined,
  refusal: undefined,
};

export const currentOf = ({ turn }: SpeakerState) => (turn.kind === 'serving' ? turn.item : undefined);
export const waitingOf = ({ queue }: SpeakerState) => inOrder(queue);
export const isPausedIn = ({ turn }: SpeakerState) => turn.kind !== 'idle' && turn.isPaused;

export function itemsOf(state: SpeakerState): readonly LiveItem[] {
  const current = currentOf(state);
  return [...(current ? [current] : []), ...waitingOf(state)];
}

/** The channel that the bot is in or is joining, otherwise that of the current or first waiting text. */
const neededIn = (state: SpeakerState, { channelId }: SpeakerFacts) => channelId ?? itemsOf(state)[0]?.place.channelId;

/** The bot's channel if it is not `channelId` and has listeners besides `userId`. A lone listener may move the bot. */
export function occupiedElsewhere(state: SpeakerState, facts: SpeakerFacts, channelId: string, userId?: string) {
  const here = neededIn(state, facts);
  return here !== undefined && here !== channelId && facts.listeners(here, userId) > 0 ? here : undefined;
}

const mention = (channelId: string) => `<#${channelId}>`;
const unheardIn = (kind: 'nobody-listening' | 'put-into-audience' | 'kicked', channelId: string) =>
  new UserError(refusal(kind, { channel: mention(channelId), heard: 'nothing' }));
const unchanged = (state: SpeakerState): SpeakerTransition => ({ state, effects: [] });

function mustBeFree(state: SpeakerState, facts: SpeakerFacts, channelId: string, userId: string | undefined): void {
  if (state.refusal) throw state.refusal;
  const here = occupiedElsewhere(state, facts, channelId, userId);
  if (here !== undefined) throw new UserError(text('refused.busy-elsewhere', { channel: mention(here) }));
}

function mustBeHeard({ listeners }: SpeakerFacts, channelId: string): void {
  if (listeners(channelId) === 0) throw new UserError(text('refused.nobody-there', { channel: mention(channelId) }));
}

/** Moves the member's texts to `place`. Cancels other texts: listeners there may lack access to the texts' channels. */
function follow(state: SpeakerState, place: VoicePlace, userId: string | undefined): SpeakerTransition {
  const elsewhere = itemsOf(state).filter((item) => item.place.channelId !== place.channelId);
  const [first] = elsewhere;
  if (!first) return unchanged(state);
  // An announcement names members of the old voice channel, so it does not move to another channel.
  const following = elsewhere.filter(({ order }) => order.userId === userId && order.from !== 'announcement');
  const isLeft = (item: LiveItem) => elsewhere.includes(item) && !following.includes(item);
  const unheard = unheardIn('nobody-listening', first.place.channelId);
  const current = currentOf(state);
  const followed = withEffects(
    cancel(state, unheard, isLeft),
    ...following.map((item) => ({ type: 'relocate', item, place }) as const),
    ...(current && following.includes(current) ? [{ type: 'start-over' } as const] : []),
  );
  // A pause ends if the paused text is canceled instead of moving to the new voice channel.
  return current && isLeft(current) ? resumed(followed) : followed;
}

function onSubmit(state: SpeakerState, item: LiveItem, facts: SpeakerFacts): SpeakerTransition {
  const { userId, textChannelId } = item.order;
  const { channelId } = item.place;
  mustBeFree(state, facts, channelId, userId);
  mustBeHeard(facts, channelId);
  // A text that is over can be requested again, because members say 'Hello?' twice.
  if (itemsOf(state).some(({ sameness }) => sameness === item.sameness)) {
    throw new UserError(text('refused.duplicate'));
  }
  const { state: followed, effects } = follow(state, item.place, userId);
  const queue = enqueue(followed.queue, item, facts.limits);
  const usedFrom = textChannelId ?? state.usedFrom;
  return { state: { ...followed, queue, usedFrom }, effects: [...effects, { type: 'wake' }] };
}

function onJoin(
  state: SpeakerState,
  { place, userId, textChannelId }: Extract<SpeakerEvent, { type: 'join' }>,
  facts: SpeakerFacts,
): SpeakerTransition {
  const { channelId } = place;
  mustBeFree(state, facts, channelId, userId);
  if (itemsOf(state).length > 0) mustBeHeard(facts, channelId);
  const obstacle = facts.obstacle(channelId);
  if (obstacle) throw new UserError(obstacle);
  return follow({ ...state, usedFrom: textChannelId ?? state.usedFrom }, place, userId);
}

/** A canceled text that is being spoken stays the current text until its playback has ended. */
function cancel(state: SpeakerState, reason: UserError, matches: (item: LiveItem) => boolean = () => true) {
  const { queue, withdrawn } = withdraw(state.queue, matches);
  const effects: SpeakerEffect[] = [];
  if (withdrawn.length > 0) effects.push({ type: 'fail-waiting', items: withdrawn, reason });
  const item = currentOf(state);
  if (item && matches(item)) effects.push({ type: 'cancel-current', item, reason });
  return { state: { ...state, queue }, effects };
}

function withEffects({ state, effects }: SpeakerTransition, ...more: readonly SpeakerEffect[]): SpeakerTransition {
  return { state, effects: [...effects, ...more] };
}

function resume(state: SpeakerState): SpeakerTransition {
  const { turn } = state;
  if (turn.kind === 'idle' || !turn.isPaused) return unchanged(state);
  return { state: { ...state, turn: { ...turn, isPaused: false } }, effects: [{ type: 'go-on' }] };
}

function resumed({ state, effects }: SpeakerTransition): SpeakerTransition {
  const after = resume(state);
  return { state: after.state, effects: [...effects, ...after.effects] };
}

function onTakeTurn(state: SpeakerState): SpeakerTransition {
  const { item, queue } = dequeue(state.queue);
  const isPaused = isPausedIn(state);
  if (item) return unchanged({ ...state, queue, turn: { kind: 'serving', item, isPaused } });
  return { state: { ...state, queue, turn: { kind: 'idle' } }, effects: isPaused ? [{ type: 'go-on' }] : [] };
}

function onLeft(state: SpeakerState, left: Left): SpeakerTransition {
  // After a lost connection, the bot joins again for the remaining texts. A kick ends all texts.
  if (left.reason === 'connection-lost' && itemsOf(state).length > 0) return unchanged(state);
  return withEffects(withoutItems(state, left), { type: 'report-left', left, usedFrom: state.usedFrom });
}

function withoutItems(state: SpeakerState, { channelId, reason }: Left): SpeakerTransition {
  if (reason === 'kicked' || reason === 'channel-gone') return cancel(state, disconnectedError(channelId, reason));
  if (reason !== 'unheard') return unchanged(state);
  // The current text fails with the error of its playback, which tells if some of it was heard.
  const current = currentOf(state);
  const words = refusal('unheard', { channel: mention(channelId) });
  return cancel(state, new UserError(words), (item) => item !== current);
}

function giveUp(state: SpeakerState, reason: LeaveReason, words: Text): SpeakerTransition {
  const obstacle = reason === 'not-allowed' ? words : undefined;
  return withEffects(cancel(state, new UserError(words)), { type: 'leave', reason, obstacle });
}

function onMoved(state: SpeakerState, from: string, channelId: string, facts: SpeakerFacts): SpeakerTransition {
  const moved = itemsOf(state).filter(({ place }) => place.channelId === from);
  const obstacle = facts.obstacle(channelId);
  const after = obstacle ? giveUp(state, 'not-allowed', obstacle) : unchanged(state);
  const along = moved.map((item) => ({ type: 'relocate', item, place: { ...item.place, channelId } }) as const);
  return { state: after.state, effects: [...along, ...after.effects] };
}

/** Pausing is refused while the bot is stopping, because nobody could end the pause before the bot is gone. */
function onPause(state: SpeakerState): SpeakerTransition {
  if (state.refusal) throw state.refusal;
  if (state.turn.kind !== 'serving' || state.turn.isPaused) return unchanged(state);
  return { state: { ...state, turn: { ...state.turn, isPaused: true } }, effects: [{ type: 'hold' }] };
}

function onStopping(state: SpeakerState, reason: Text, isClosing: boolean): SpeakerTransition {
  const refusal = state.refusal ?? new UserError(reason);
  const current = currentOf(state);
  // If the bot only stops accepting texts, the current text may finish. A paused text is canceled: nobody could end the pause.
  const endsCurrent = isClosing || isPausedIn(state);
  const after = cancel({ ...state, refusal }, refusal, (item) => endsCurrent || item !== current);
  return { state: after.state, effects: [{ type: 'abort-joins' }, ...after.effects] };
}

function onAccessChanged(state: SpeakerState, facts: SpeakerFacts): SpeakerTransition {
  const here = neededIn(state, facts);
  const obstacle = here !== undefined && itemsOf(state).length > 0 ? facts.obstacle(here) : undefined;
  return obstacle ? cancel(state, new UserError(obstacle)) : unchanged(state);
}

/** Returns the next state of a server's speaker, and the actions that must follow. Throws the UserError of a refused event. Pure. */
export function reduce(state: SpeakerState, event: SpeakerEvent, facts: SpeakerFacts): SpeakerTransition {
  switch (event.type) {
    case 'submit':
      return onSubmit(state, event.item, facts);
    case 'join':
      return onJoin(state, event, facts);
    case 'take-turn':
      return onTakeTurn(state);
    case 'turn-ended':
      return unchanged({ ...state, turn: { kind: 'between', isPaused: isPausedIn(state) } });
    case 'cancel':
      return cancel(state, event.reason, (item) => event.items.includes(item));
    case 'stop':
      return resumed(cancel(state, new StoppedByMember(event.byUserId, 'stop')));
    case 'pause':
      return onPause(state);
    case 'resume':
      return resume(state);
    case 'paused-too-long':
      return giveUp(state, 'paused-too-long', refusal('paused-too-long', { heard: 'nothing' }));
    case 'alone':
      return cancel(state, unheardIn('nobody-listening', event.channelId));
    case 'moved':
      return onMoved(state, event.from, event.channelId, facts);
    case 'left':
      return onLeft(state, event);
    case 'access-changed':
      return onAccessChanged(state, facts);
    case 'put-into-audience':
      return facts.channelId === undefined
        ? unchanged(state)
        : cancel(state, unheardIn('put-into-audience', facts.channelId));
    case 'sent-away':
      return facts.channelId === undefined ? unchanged(state) : giveUp(state, 'not-allowed', event.reason);
    case 'drain':
    case 'close':
      return onStopping(state, event.reason, event.type === 'close');
  }
}

export function disconnectedError(channelId: string, reason: 'kicked' | 'channel-gone'): UserError {
  if (reason === 'channel-gone') return new UserError(refusal('channel-gone', { heard: 'nothing' }));
  return unheardIn('kicked', channelId);
}
