/* Discord's Markdown as elements: https://support.discord.com/hc/en-us/articles/210298617 */

import { el } from '../dom.js';

/** The last moment that a Date holds, in seconds. */
const LAST_SECOND = 8.64e12;

const RULES = [
  [/^\\([^\s\w])/, (_m, [, sign]) => sign],
  [/^```(?:[\w+-]+\n)?\n?([\s\S]+?)\n?```/, (_m, [, code]) => el('pre', {}, el('code', {}, code))],
  [/^`([^`\n]+)`/, (_m, [, code]) => el('code', {}, code)],
  [/^\*\*([\s\S]+?)\*\*(?!\*)/, (more, [, words]) => el('strong', {}, more(words))],
  [/^__([\s\S]+?)__(?!_)/, (more, [, words]) => el('u', {}, more(words))],
  [/^~~([\s\S]+?)~~/, (more, [, words]) => el('s', {}, more(words))],
  [/^\|\|([\s\S]+?)\|\|/, (more, [, words]) => spoiler(more(words))],
  [/^\*(?!\s)([^*\n]+?)\*(?!\*)/, (more, [, words]) => el('em', {}, more(words))],
  [/^_(?!\s)([^_\n]+?)_(?![\w_])/, (more, [, words]) => el('em', {}, more(words))],
  [/^\[([^\]\n]+)\]\((https?:\/\/[^)\s]+)\)/, (more, [, words, url]) => outward(url, more(words))],
  [/^<(https?:\/\/[^>\s]+)>/, (_m, [, url]) => outward(url, [url])],
  [/^https?:\/\/[^\s<]+[^\s<.,:;!?)"'\]]/, (_m, [url]) => outward(url, [url])],
  [
    /^<t:(-?\d+)(?::(\w))?>/,
    (_m, [written, seconds, style], names) =>
      Math.abs(Number(seconds)) > LAST_SECOND ? written : instant(Number(seconds), style, names.language),
  ],
  [/^<@&(\d+)>/, (_m, [whole, id], names) => mention(`@${(names.role(id) ?? '').replace(/^@/, '')}`, whole)],
  [/^<@!?(\d+)>/, (_m, [whole, id], names) => mention(`@${names.member(id) ?? ''}`, whole)],
  [/^<#(\d+)>/, (_m, [whole, id], names) => mention(`#${names.channel(id) ?? ''}`, whole)],
  [/^<\/([^:>]+):\d+>/, (_m, [, command]) => el('span', { class: 'mention' }, `/${command}`)],
  [/^<a?:(\w+):\d+>/, (_m, [, emoji]) => `:${emoji}:`],
];

const mention = (shown, whole) => el('span', { class: 'mention' }, shown.length > 1 ? shown : whole);
const outward = (url, words) => el('a', { href: url, target: '_blank', rel: 'noreferrer noopener' }, words);

function spoiler(words) {
  const button = el(
    'button',
    {
      type: 'button',
      class: 'spoiler',
      'aria-expanded': 'false',
      onclick: () => button.setAttribute('aria-expanded', 'true'),
    },
    words,
  );
  return button;
}

const STEPS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
];

function instant(seconds, style, language) {
  const date = new Date(seconds * 1_000);
  const whole = date.toLocaleString(language, { dateStyle: 'long', timeStyle: 'short' });
  const away = seconds - Date.now() / 1_000;
  const [unit, size] = STEPS.find(([, step]) => Math.abs(away) >= step) ?? ['second', 1];
  const shown =
    style === 'R'
      ? new Intl.RelativeTimeFormat(language, { numeric: 'auto' }).format(Math.round(away / size), unit)
      : whole;
  return el('time', { datetime: date.toISOString(), title: whole }, shown);
}

/** Signs inside a line. */
function inline(text, names) {
  const parts = [];
  let plain = '';
  let rest = text;
  const more = (words) => inline(words, names);
  while (rest !== '') {
    const found = RULES.map(([pattern, make]) => ({ match: pattern.exec(rest), make })).find(({ match }) => match);
    // An underscore within a word is one.
    const inWord = found?.match[0].startsWith('_') && /\w$/.test(plain);
    if (found && !inWord) {
      if (plain !== '') parts.push(plain);
      plain = '';
      parts.push(found.make(more, found.match, names));
      rest = rest.slice(found.match[0].length);
    } else {
      const [letter] = rest;
      plain += letter;
      rest = rest.slice(letter.length);
    }
  }
  if (plain !== '') parts.push(plain);
  return parts.flat();
}

const BLOCKS = [
  [/^-# (.+)$/, (words) => el('p', { class: 'small' }, words)],
  [/^### (.+)$/, (words) => el('p', { class: 'heading small-heading' }, words)],
  [/^## (.+)$/, (words) => el('p', { class: 'heading' }, words)],
  [/^# (.+)$/, (words) => el('p', { class: 'heading large-heading' }, words)],
  [/^>(?:>>)? (.*)$/, (words) => el('blockquote', {}, words)],
  [/^\s*[-*] (.+)$/, (words) => el('p', { class: 'item' }, words)],
  [/^\s*(\d+\. .+)$/, (words) => el('p', { class: 'item numbered' }, words)],
];

/** `names` knows the names behind mentions: `member(id)`, `role(id)`, `channel(id)`, and the language of times. */
export function markdown(text, names) {
  const blocks = [];
  // A block of code may hold anything, empty lines too.
  for (const piece of text.split(/(```[\s\S]+?```)/)) {
    if (piece.startsWith('```')) {
      blocks.push(...inline(piece, names));
      continue;
    }
    let paragraph = [];
    const flush = () => {
      if (paragraph.join('').trim() !== '')
        blocks.push(el('p', {}, inline(paragraph.join('\n').replace(/^\n+|\n+$/g, ''), names)));
      paragraph = [];
    };
    for (const line of piece.split('\n')) {
      const found = BLOCKS.map(([pattern, make]) => ({ match: pattern.exec(line), make })).find(({ match }) => match);
      if (!found) {
        paragraph.push(line);
        continue;
      }
      flush();
      blocks.push(found.make(inline(found.match[1], names)));
    }
    flush();
  }
  return blocks;
}
