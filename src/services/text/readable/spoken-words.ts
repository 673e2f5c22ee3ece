import { render, text } from '../../../texts/catalogue.ts';
import { bareEmoji, namesOfEmoji } from './emoji-names.ts';
import { EMOJI, isEmoji } from './patterns.ts';

/** Emoji in a row that are named; the number of further ones is announced. */
const NAMED_IN_A_ROW = 5;

const segmenter = new Intl.Segmenter();
/** A name or an announcement needs a space before a word character. */
const GOES_ON = /^[\p{L}\p{N}\p{S}\p{Ps}\p{Pi}@#&]/u;
const SETTLED = /(?:^|[\s\p{Ps}\p{Pi}"'#@])$/u;

/** How many emoji may still be named in a message. */
export interface EmojiBudget {
  left: number;
}

/** Collects the spoken words of a message. `ownNames`: see ReadableContext. */
export function spokenWords(locale: string, budget: EmojiBudget, ownNames?: ReadonlyMap<string, string>) {
  let spoken = '';
  let spaceNext = false;
  let row: { name: string; count: number }[] = [];

  const append = (words: string) => {
    if (words === '') return;
    if (spaceNext && GOES_ON.test(words)) spoken += ' ';
    spaceNext = false;
    spoken += words;
  };
  const setApart = (words: string) => {
    if (words === '') return;
    if (!SETTLED.test(spoken.slice(-1)) && !spaceNext) spoken += ' ';
    append(words);
    spaceNext = true;
  };
  const endRow = () => {
    if (row.length === 0) return;
    const named = row.slice(0, Math.min(NAMED_IN_A_ROW, budget.left));
    const unnamed = row.slice(named.length).reduce((sum, { count }) => sum + count, 0);
    budget.left -= named.length;
    row = [];
    const words = named.map(({ name, count }) =>
      count === 1 ? name : render(text('readable.emoji-times', { emoji: name, count }), locale),
    );
    // Once the budget is spent there is nothing to announce between each two words any more.
    if (unnamed > 0 && named.length > 0) words.push(render(text('readable.more-emoji', { count: unnamed }), locale));
    setApart(words.join(', '));
  };
  const plain = (written: string) => {
    // Spaces between emoji do not end their row.
    if (row.length > 0 && /^[^\S\n]*$/u.test(written)) return;
    endRow();
    append(written);
  };
  const emoji = (name: string) => {
    if (name === '') return;
    const last = row.at(-1);
    if (last?.name === name) last.count++;
    else row.push({ name, count: 1 });
  };
  return {
    /** The author's text without Markdown's marks. */
    literal(written: string) {
      if (!EMOJI.test(written)) return plain(written);
      let between = '';
      for (const { segment } of segmenter.segment(written)) {
        if (!isEmoji(segment)) {
          between += segment;
          continue;
        }
        if (between !== '') plain(between);
        between = '';
        const own = ownNames?.get(bareEmoji(segment));
        for (const name of own === undefined ? namesOfEmoji(segment, locale) : [own]) emoji(name);
      }
      if (between !== '') plain(between);
    },
    /** A name or an announcement, separated by spaces. */
    word(announced: string): void {
      endRow();
      setApart(announced);
    },
    /** The same, separated by pauses. */
    sentence(announced: string): void {
      endRow();
      spaceNext = false;
      spoken += `\n${announced}\n`;
    },
    emoji,
    end(): string {
      endRow();
      return spoken;
    },
  };
}

export type SpokenWords = ReturnType<typeof spokenWords>;
