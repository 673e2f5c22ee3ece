import type { Listener } from '../../src/playground/voice/types.ts';
import type { Person, World, WorldOptions, WorldServer } from '../../src/playground/world/world.ts';
import type { Lane } from './lane.ts';

/** What the bot is doing when the fault comes: joining for the first text, in the middle of it, or nothing. */
export type When = 'connecting' | 'speaking' | 'idle';

/**
 * 'spoken': wholly, once, paid once, and said to be. 'told': in words, once, that it was not. 'postponed': that it is spoken
 * when the bot is back.
 */
export type End = 'spoken' | 'told' | 'spoken or told' | 'postponed';

export interface Wanted {
  readonly first: End;
  readonly second: End;
  /** Whether the bot is in the channel after the second text. */
  readonly bot: 'stays' | 'left' | 'either';
  /** From the fault, or its end, to sound again, at most. */
  readonly recoveryMs: number;
  /** The words that a person is told have these in them. */
  readonly words?: RegExp;
  /** Where less is possible than elsewhere: what Discord documents that explains it. */
  readonly because?: string;
  /** So many frames may be in the clear: the call changes its version. Default none. */
  readonly clearFrames?: number;
  /** The least part of a spoken text that is heard. Below 1 where the loss cannot be known to the bot. */
  readonly share: number;
  /** The most of a text that is told not to be spoken. Default less than what counts as spoken. */
  readonly toldShare?: number;
}

/** The worst of all cells on a busy machine; 95 of 100 take 3 s at most. */
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
  /** Asks for the first text, and listens as bob does. */
  readonly alice: Person;
  readonly bob: Person;
  /** The bot as a client of the voice server. */
  readonly client: { readonly guildId: string; readonly userId: string };
  /** Another listener whose hearing counts, in a channel of this name. */
  listens(channel: string, listener: Listener): void;
  /** A listener who comes during the fault, and has to hear the second text as well. */
  newcomer(listener: Listener): void;
  /** Called when the cell is over. */
  onEnd(cleanUp: () => void): void;
}

/** One row of the matrix at one moment. */
export interface Cell {
  readonly group: string;
  readonly fault: string;
  readonly when: When;
  /** Makes the fault; a fault that lasts resolves at its end. */
  readonly inject: (scene: CellScene) => void | Promise<void>;
  readonly wanted: Wanted;
  /** Of the two texts. */
  readonly seconds?: readonly [number, number];
  /** The second text, when idle, is asked for at the end of the fault. */
  readonly isSecondLater?: boolean;
  /** For a world and a bot of its own. */
  readonly world?: WorldOptions;
  /** The bot's process is the subject, so time is the machine's; goes with a world of its own. */
  readonly asProcess?: boolean;
  /** The bot's data is on a disk of its own, which can be filled; goes with a world of its own. */
  readonly disk?: 'small';
  /** The bot has the rights of an ordinary account, also where root starts it; goes with a world of its own. */
  readonly account?: 'ordinary';
}

/** Whether it needs the bot as a process of its own, and so real time. */
export const needsProcess = ({ asProcess, disk, account }: Cell): boolean =>
  asProcess === true || disk !== undefined || account !== undefined;

export const nameOf = ({ fault, when }: Pick<Cell, 'fault' | 'when'>): string => `${fault} · ${when}`;
