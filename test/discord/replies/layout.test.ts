import type { APIContainerComponent } from 'discord.js';
import { describe, expect, it } from 'vitest';
import { customId, drawPanel, drawRows, parseCustomId } from '../../../src/discord/replies/layout.ts';
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
    const [row] = drawRows([pick], 'en-US');
    const [select] = row?.components ?? [];
    const drawn = select && 'options' in select ? select.options?.[0]?.label : undefined;
    expect(drawn?.length).toBeLessThanOrEqual(100);
    expect(drawn?.isWellFormed()).toBe(true);
    expect(drawn).toMatch(/^x{98}.?…$/u);
  });
});
