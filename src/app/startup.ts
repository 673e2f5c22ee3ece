import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import type { Closing } from './resource-closing.ts';

/** Given to every stage of a start. */
export interface Startup {
  readonly config: Config;
  readonly log: Logger;
  /** Keeps a secret out of the log. */
  readonly conceal: (secret: string) => void;
  readonly closeLater: Closing['later'];
  /** Another process may speak, bill and answer from now on: this one is silent at once, and ends. */
  readonly onLeaseLost: (error: Error) => void;
  /** Aborts when the bot is closed, also during the start. */
  readonly stopping: AbortSignal;
}
