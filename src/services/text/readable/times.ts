import { canonicalTag, remembering } from '../../../speech/interface/languages.ts';
import { render, text } from '../../../texts/catalog.ts';

/** Units of relative times (style R): https://docs.discord.com/developers/reference#message-formatting-timestamp-styles */
const UNITS: readonly (readonly [unit: Intl.RelativeTimeFormatUnit, seconds: number])[] = [
  ['year', 31_536_000],
  ['month', 2_628_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
];

/** Discord writes some dates in digits, but a voice needs the month's name. */
const STYLES: Readonly<Record<string, Intl.DateTimeFormatOptions>> = {
  t: { timeStyle: 'short' },
  T: { timeStyle: 'medium' },
  d: { dateStyle: 'long' },
  D: { dateStyle: 'long' },
  f: { dateStyle: 'long', timeStyle: 'short' },
  F: { dateStyle: 'full', timeStyle: 'short' },
  s: { dateStyle: 'long', timeStyle: 'short' },
  S: { dateStyle: 'long', timeStyle: 'medium' },
};

/** Listeners' time zones are unknown, so times are in UTC and say so. */
export function spokenTime(
  seconds: number,
  style: string,
  { locale, now }: { readonly locale: string; readonly now: number },
): string {
  const at = new Date(seconds * 1000);
  if (Number.isNaN(at.getTime())) return render(text('readable.some-date'), locale);
  const language = intlLocale(locale);
  if (style === 'R') {
    const from = seconds - now / 1000;
    const [unit, length] = UNITS.find(([, least]) => Math.abs(from) >= least) ?? (['second', 1] as const);
    return new Intl.RelativeTimeFormat(language, { numeric: 'auto' }).format(Math.trunc(from / length), unit);
  }
  const known = style in STYLES ? style : 'f';
  const words = dateFormat(`${language} ${known}`).format(at);
  const hasTime = STYLES[known]?.timeStyle !== undefined;
  return (hasTime ? `${words} UTC` : words).replaceAll(/\s+/gu, ' ');
}

/** Formats are cached, because creating one takes longer than reading a message. */
const dateFormat = remembering((languageAndStyle) => {
  const [language, style = ''] = languageAndStyle.split(' ');
  return new Intl.DateTimeFormat(language, { ...STYLES[style], timeZone: 'UTC' });
});

/** Joins a list as the language does: 'a, b and c'. */
export function enumerate(items: readonly string[], locale: string): string {
  return new Intl.ListFormat(intlLocale(locale), { type: 'conjunction' }).format(items);
}

const intlLocale = (locale: string): string => canonicalTag(locale) ?? 'en-US';
