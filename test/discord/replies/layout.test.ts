import type { APIActionRowComponent, APIContainerComponent, APIStringSelectComponent } from 'discord.js';
import { describe, expect, it } from 'vitest';
import {
  clockTime,
  customId,
  drawContent,
  drawPanel,
  parseCustomId,
  quote,
  quoteLines,
} from '../../../src/discord/replies/layout.ts';
import { text } from '../../../src/texts/catalog.ts';

const label = text('voice.label', { name: 'aria', model: 'gpro' });

describe('custom ids', () => {
  it.each([
    ['skip', '', 'skip'],
    ['skip', 'a:b', 'skip:a:b'],
  ])('%s with %s is %s, and back', (control, argument, id) => {
    expect(customId(control, argument)).toBe(id);
    expect(parseCustomId(id)).toEqual({ control, argument });
  });

  it('too long for Discord is a mistake of ours that shows at once', () => {
    expect(() => customId('skip', 'x'.repeat(96))).toThrow();
    expect(() => customId('a:b', '')).toThrow();
  });
});

describe('drawing for Discord', () => {
  it.each([
    ['Devanagari', 'क्षि'],
    ['emoji', '😀'],
  ])('a panel holds what Discord takes of it, by whole lines of its longest text: %s', (_, letter) => {
    const line = (at: number) => text('voice.label', { name: letter.repeat(50), model: String(at) });
    const lines = Array.from({ length: 200 }, (_, at) => line(at));
    const [container] = drawPanel(
      [
        { kind: 'text', lines: [label] },
        { kind: 'text', lines },
        { kind: 'text', lines: lines.slice(0, 3) },
      ],
      'en-US',
      new Map(),
    );
    const texts = (container as APIContainerComponent).components.map((part) =>
      'content' in part ? part.content : '',
    );
    expect(texts.join('').length).toBeLessThanOrEqual(4_000);
    expect(Buffer.byteLength(texts.join('')) + texts.length * 12).toBeLessThanOrEqual(10_170);
    expect(texts[0]).toBe('aria (gpro)');
    expect(texts[1]).toMatch(/\(\d+\)\n…$/);
    expect(texts[2]).toMatch(/\(2\)$/);
  });

  it('labels are cut to Discord’s limits, never through an emoji', () => {
    const option = { value: '1', label: `${'x'.repeat(98)}😀😀` };
    const pick = { kind: 'select', control: 'pick', argument: '', placeholder: label, options: [option] } as const;
    const { components } = drawContent({ lines: [], rows: [pick] }, 'en-US', new Map());
    const [row] = components as readonly APIActionRowComponent<APIStringSelectComponent>[];
    const drawn = row?.components[0]?.options[0]?.label;
    expect(drawn?.length).toBeLessThanOrEqual(100);
    expect(drawn?.isWellFormed()).toBe(true);
    expect(drawn).toMatch(/^x{98}.?…$/u);
  });
});

const saying = (words: string) => text('save.saved', { text: words });
const drawn = (...lines: string[]) => drawContent({ lines: lines.map(saying) }, 'en-US', new Map()).content ?? '';

it('a reply is cut between lines where all of it does not fit into one message', () => {
  const mentions = Array.from({ length: 40 }, (_, index) => `<@${String(index).padStart(18, '1')}>`).join(' ');
  const content = drawn(mentions, mentions, mentions, mentions);
  expect(content.length).toBeLessThanOrEqual(2_000);
  expect(content.split('\n')).toEqual([`Saved: “${mentions}”`, `Saved: “${mentions}”`, '…']);
});

it('a reply is cut inside of a line where that alone is too long, never through an emoji', () => {
  const content = drawn('😀'.repeat(1_500));
  expect(content).toHaveLength(2_000);
  expect(content.isWellFormed()).toBe(true);
});

describe('quoting a member', () => {
  it('leaves ordinary words of any script as they are', () => {
    expect(quote('Hello, world! Привет, 世界 👩‍👩‍👧 ça va?')).toBe('Hello, world! Привет, 世界 👩‍👩‍👧 ça va?');
  });

  it('mentions no member and shows no emoji that was not typed as one', () => {
    expect(quote('<@123> <#4> <:pog:5> @everyone @here')).not.toMatch(/(?<!\\)<|@everyone|@here/);
  });

  it('takes away the effect of Markdown', () => {
    expect(quote('**b** `c` ||s|| [a](https://x.example)')).not.toMatch(
      /(?<!\\)\*\*|(?<!\\)`|(?<!\\)\|\||(?<!\\)\[a\]\(/,
    );
    expect(quote('# title\n- item')).not.toMatch(/^#|\n/);
  });

  it('leaves room for what stands behind it, however long single characters are', () => {
    const stacked = `a${'\u0301'.repeat(19)}`.repeat(160);
    expect(quote(stacked).length).toBeLessThanOrEqual(400);
    expect(quote('🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}'.repeat(60), 60).length).toBeLessThanOrEqual(
      150,
    );
  });

  it('shortens between graphemes', () => {
    expect(quote('👩‍👩‍👧'.repeat(10), 12)).toBe('👩‍👩‍👧👩‍👩‍👧…');
    expect([...quote('a'.repeat(6000))].length).toBeLessThanOrEqual(160);
  });
});

describe('lines in a reply', () => {
  it('stay lines, none of which is a quotation, small print or a title', () => {
    expect(quoteLines('One.\n\n > Two.\n-# Three.\n# Four.\n')).toBe('One.\n\\> Two.\n\\-# Three.\n\\# Four.');
    expect(quoteLines('One.\nTwo.', '-# ')).toBe('One.\n-# Two.');
  });

  it('end where one line would, and after ten', () => {
    expect(quoteLines(`${'a'.repeat(100)}\n${'b'.repeat(100)}\nc`)).toBe(`${'a'.repeat(100)}\n${'b'.repeat(59)}…`);
    expect(quoteLines(`${'a'.repeat(160)}\nb`)).toBe(`${'a'.repeat(160)}\n…`);
    expect(quoteLines('a\n'.repeat(10)).split('\n')).toHaveLength(10);
    expect(quoteLines('a\n'.repeat(11)).split('\n').slice(9)).toEqual(['a', '…']);
  });
});

it.each([
  [0, '0:00'],
  [7_400, '0:07'],
  [3_900_000, '1:05:00'],
  [-5, '0:00'],
])('%d ms is %s', (ms, words) => {
  expect(clockTime(ms)).toBe(words);
});
