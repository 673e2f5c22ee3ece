/** Where the client tells what it does: pino's shape, of which it needs these. */
export interface SpeechLog {
  debug(facts: object, message: string): void;
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
}
