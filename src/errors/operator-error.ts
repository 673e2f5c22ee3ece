/**
 * Something that only whoever runs the bot can mend. Its message is all they need: what is wrong, naming the file or
 * setting, and what to do about it. It is shown without a stack.
 */
export class OperatorError extends Error {
  override readonly name = 'OperatorError';
  readonly what: string;
  readonly remedy: string | undefined;

  constructor(what: string, { remedy, cause }: { readonly remedy?: string; readonly cause?: unknown } = {}) {
    super(remedy === undefined ? what : `${what}: ${remedy}`, { cause });
    this.what = what;
    this.remedy = remedy;
  }
}
