interface Details {
  readonly remedy?: string;
  readonly isWrongSetting?: boolean;
  readonly cause?: unknown;
}

/**
 * A problem that only the operator can fix. Its message is complete: the problem, with the file or setting, and the
 * remedy. It is shown without a stack.
 */
export class OperatorError extends Error {
  override readonly name = 'OperatorError';
  readonly what: string;
  readonly remedy: string | undefined;
  /** A setting, or what is set at Discord, has to be changed first: another start would fail in the same way. */
  readonly isWrongSetting: boolean;

  constructor(what: string, { remedy, isWrongSetting = false, cause }: Details = {}) {
    super(remedy === undefined ? what : `${what}: ${remedy}`, { cause });
    this.what = what;
    this.remedy = remedy;
    this.isWrongSetting = isWrongSetting;
  }
}
