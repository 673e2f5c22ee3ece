/** The client's log: the needed part of pino's interface. */
export interface SpeechLog {
  debug(facts: object, message: string): void;
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
}
