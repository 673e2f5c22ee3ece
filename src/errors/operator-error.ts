/**
 * A problem that only the operator can fix. Its message is complete: the problem, with the file or setting, and the
 * remedy. It is shown without a stack.
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
