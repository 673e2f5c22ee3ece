import type { Listener } from '../../src/playground/voice/listening/listener.ts';
import type { Person, World, WorldServer } from '../../src/playground/world/world.ts';
import type { Lane, LaneOptions } from './lane.ts';

/** What the bot does when the fault comes: joins for the first text, speaks the first text, or nothing. */
export type When = 'connecting' | 'speaking' | 'idle';

/**
 * 'spoken': completely, once, paid once, and reported as spoken. 'told': the reply says once that the text was not
 * spoken. 'postponed': the reply says that the text is spoken when the bot is back.
 */
export type End = 'spoken' | 'told' | 'spoken or told' | 'postponed';

export interface Wanted {
  readonly first: End;
  readonly second: End;
  /** What the bot must do: be in the channel after the second text, or have left. */
  readonly bot: 'stays' | 'left' | 'either';
  /** The maximum time from the fault, or from its end, until audio is heard again. */
  readonly recoveryMs: number;
  /** The words that the reply must contain. */
  readonly words?: RegExp;
  /** Discord's documented behavior that explains a weaker expectation. */
  readonly because?: string;
  /** The maximum number of unencrypted frames, for a call that changes its protocol version. Default none. */
  readonly clearFrames?: number;
  /** The minimum heard part of a spoken text. Below 1 if the bot cannot notice the loss. */
  readonly share: number;
  /** The maximum heard part of a text reported as not spoken. Default: less than what counts as spoken. */
  readonly toldShare?: number;
}

/** The slowest recovery of any cell on a busy machine; 95 of 100 cells take up to 3 s. */
const RECOVERY_MS = 5_000;

export const SPOKEN: Wanted = {
  first: 'spoken',
  second: 'spoken',
  bot: 'stays',
  recoveryMs: RECOVERY_MS,
  share: 0.9,
};
export const TOLD: Wanted = { ...SPOKEN, first: 'told', second: 'told', bot: 'left' };

export interface CellScene {
  readonly lane: Lane;
  readonly world: World;
  readonly server: WorldServer;
  /** Alice asks for the first text; bob listens and asks for the second text. */
  readonly alice: Person;
  readonly bob: Person;
  /** Names the bot as a client of the voice server. */
  readonly client: { readonly guildId: string; readonly userId: string };
  /** Adds a listener in the named channel whose recording counts for the result. */
  listens(channel: string, listener: Listener): void;
  /** Adds a listener who joins during the fault and has to hear the second text too. */
  newcomer(listener: Listener): void;
  onEnd(cleanUp: () => void): void;
}

/** A row of the matrix at one moment. */
export interface Cell extends LaneOptions {
  readonly group: string;
  readonly fault: string;
  readonly when: When;
  /** Makes the fault. For a lasting fault, the promise resolves at its end. */
  readonly inject: (scene: CellScene) => void | Promise<void>;
  readonly wanted: Wanted;
  /** The lengths of the two texts. */
  readonly seconds?: readonly [number, number];
  /** If true, an idle cell's second text is asked for after the fault has ended. */
  readonly isSecondLater?: boolean;
}

export const nameOf = ({ fault, when }: Pick<Cell, 'fault' | 'when'>): string => `${fault} · ${when}`;
