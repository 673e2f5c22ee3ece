interface Details extends ErrorOptions {
  readonly remedy?: string;
  readonly isWrongSetting?: boolean;
}

/** A problem that only the operator can fix. The message says how, so it is shown without a stack. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError';
  readonly what: string;
  readonly remedy: string | undefined;
  /** True if every start of the bot fails until the operator changes a setting of the bot or at Discord. */
  readonly isWrongSetting: boolean;

  constructor(what: string, { remedy, isWrongSetting = false, cause }: Details = {}) {
    super(remedy === undefined ? what : `${what}: ${remedy}`, { cause });
    this.what = what;
    this.remedy = remedy;
    this.isWrongSetting = isWrongSetting;
  }
}
