import type { NumberRange } from '../../speech/interface/models.ts';

/** Thousands set apart by one mark throughout, and decimals after another: `4,000`, `12.000`, `12 000`, `1.234,5`. */
const WITH_THOUSANDS = /^[1-9]\d{0,2}([.,\s'’])\d{3}(?:\1\d{3})*(?:(?!\1)[.,]\d+)?$/;

/**
 * A number as people write it in any language, and as the panel shows it; NaN for anything else. Where thousands cannot
 * occur, the mark before three digits is a decimal one: a speed of `1,250`.
 */
export function typedNumber(typed: string, { max, integer }: NumberRange): number {
  const mark = integer || max >= 1_000 ? WITH_THOUSANDS.exec(typed)?.[1] : undefined;
  const plain = mark === undefined ? typed : typed.replaceAll(mark, '');
  return Number(plain.replace(',', '.'));
}
