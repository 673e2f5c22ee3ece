/* Draws Discord's Markdown as elements: https://support.discord.com/hc/en-us/articles/210298617 */

import { el } from './dom.js';

const LAST_SECOND = 8.64e12;

const RULES = [
  [/^\\([^\s\w])/, (_page, [, sign]) => sign],
  [/^```(?:[\w+-]+\n)?\n?([\s\S]+?)\n?```/, (_page, [, code]) => el('pre', {}, code)],
  [/^`([^`\n]+)`/, (_page, [, code]) => el('code', {}, code)],
  [/^\*\*([\s\S]+?)\*\*(?!\*)/, (page, [, words]) => el('strong', {}, inline(words, page))],
  [/^__([\s\S]+?)__(?!_)/, (page, [, words]) => el('u', {}, inline(words, page))],
  [/^~~([\s\S]+?)~~/, (page, [, words]) => el('s', {}, inline(words, page))],
  [/^\|\|([\s\S]+?)\|\|/, (page, [, words]) => el('span', { class: 'spoiler' }, inline(words, page))],
  [/^\*(?!\s)([^*\n]+?)\*(?!\*)/, (page, [, words]) => el('em', {}, inline(words, page))],
  [/^_(?!\s)([^_\n]+?)_(?![\w_])/, (page, [, words]) => el('em', {}, inline(words, page))],
  [/^\[([^\]\n]+)\]\((https?:\/\/[^)\s]+)\)/, (page, [, words, url]) => outward(url, inline(words, page))],
  [/^<(https?:\/\/[^>\s]+)>/, (_page, [, url]) => outward(url, url)],
  [/^https?:\/\/[^\s<]+[^\s<.,:;!?)"'\]]/, (_page, [url]) => outward(url, url)],
  [/^<t:(-?\d+)(?::(\w))?>/, (page, found) => instant(page, found)],
  [/^<@&(\d+)>/, (page, [whole, id]) => mention(page.screen.roles[id] ?? whole)],
  [/^<@!?(\d+)>/, (page, [whole, id]) => mention(page.member(id) ? `@${page.member(id).displayName}` : whole)],
  [/^<#(\d+)>/, (page, [whole, id]) => mention(page.channel(id) ? `#${page.channel(id).name}` : whole)],
  [/^<\/([^:>]+):\d+>/, (page, [, command]) => clickable(`/${command}`, page)],
  [/^<a?:(\w+):\d+>/, (_page, [, emoji]) => `:${emoji}:`],
];

const mention = (words) => el('span', { class: 'mention' }, words);
const clickable = (command, page) =>
  el('button', { type: 'button', class: 'mention', onclick: () => page.write(`${command} `) }, command);
const outward = (url, words) => el('a', { href: url, target: '_blank', rel: 'noreferrer' }, words);

const STEPS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
];

function instant(page, [written, given, style]) {
  const seconds = Number(given);
  if (Math.abs(seconds) > LAST_SECOND) return written;
  const { language } = page.me();
  const date = new Date(seconds * 1_000);
  const whole = date.toLocaleString(language, { dateStyle: 'long', timeStyle: 'short' });
  const away = seconds - Date.now() / 1_000;
  const [unit, size] = STEPS.find(([, step]) => Math.abs(away) >= step) ?? ['second', 1];
  const relative = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });
  return el('time', { title: whole }, style === 'R' ? relative.format(Math.round(away / size), unit) : whole);
}

function inline(text, page) {
  const parts = [];
  let plain = '';
  let rest = text;
  while (rest !== '') {
    const found = RULES.map(([pattern, make]) => ({ match: pattern.exec(rest), make })).find(({ match }) => match);
    // In Discord's Markdown, an underscore within a word is an ordinary character.
    const inWord = found?.match[0].startsWith('_') && /\w$/.test(plain);
    if (found && !inWord) {
      parts.push(plain, found.make(page, found.match));
      plain = '';
      rest = rest.slice(found.match[0].length);
    } else {
      const [letter] = rest;
      plain += letter;
      rest = rest.slice(letter.length);
    }
  }
  return [...parts, plain].flat();
}

const BLOCKS = [
  [/^-# (.+)$/, (words) => el('p', { class: 'quiet' }, words)],
  [/^#{1,3} (.+)$/, (words) => el('p', { class: 'heading' }, words)],
  [/^>(?:>>)? (.*)$/, (words) => el('blockquote', {}, words)],
  [/^\s*[-*] (.+)$/, (words) => el('p', { class: 'item' }, '• ', words)],
];

/** Renders Discord's Markdown. `page` has the names for mentions and the language for times. */
export function markdown(text, page) {
  // Code blocks are split off first, because they may contain any characters and empty lines.
  const pieces = text.split(/(```[\s\S]+?```)/);
  return pieces.flatMap((piece) => (piece.startsWith('```') ? inline(piece, page) : blocks(piece, page)));
}

export const firstWords = (text, page) =>
  el('p', {}, markdown(text.split('\n')[0], page)).textContent.replace(/^• /, '');

function blocks(piece, page) {
  const made = [];
  let paragraph = [];
  const flush = () => {
    const words = paragraph.join('\n').trim();
    if (words !== '') made.push(el('p', {}, inline(words, page)));
    paragraph = [];
  };
  for (const line of piece.split('\n')) {
    const found = BLOCKS.map(([pattern, make]) => ({ match: pattern.exec(line), make })).find(({ match }) => match);
    if (!found) {
      paragraph.push(line);
      continue;
    }
    flush();
    made.push(found.make(inline(found.match[1], page)));
  }
  flush();
  return made;
}
