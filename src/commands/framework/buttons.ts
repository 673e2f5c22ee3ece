import { type Button, button, type Row } from '../../discord/replies/layout.ts';
import { type Text, text } from '../../texts/catalog.ts';
import { type Control, EVERYWHERE } from './command.ts';

const nameFor = (asking: string): string => `${asking}-cancel`;

export const cancelButton = (asking: string): Button => button(nameFor(asking), text('question.cancel'));

/** Handles the cancel button below a question: the answer replaces the question. */
export const cancelControl = (asking: string, answer: Text = text('question.canceled')): Control => ({
  name: nameFor(asking),
  needs: { contexts: EVERYWHERE },
  replyTo: 'message',
  deferred: false,
  begin: () => async () => ({ lines: [answer] }),
});

export interface Page<Item> {
  readonly number: number;
  readonly pages: number;
  readonly shown: readonly Item[];
}

/** Returns the asked page of a list. If the list has become shorter, or the number is forged, the nearest page. */
export function pageOf<Item>(items: readonly Item[], size: number, asked: number): Page<Item> {
  const pages = Math.max(1, Math.ceil(items.length / size));
  const number = Math.min(Math.max(asked, 0), pages - 1);
  return { number, pages, shown: items.slice(number * size, (number + 1) * size) };
}

export const pageAsked = (argument = ''): number => Number.parseInt(argument, 10) || 0;

export function pageLines({ number, pages }: Page<unknown>): readonly Text[] {
  return pages > 1 ? [text('page.of', { page: number + 1, pages })] : [];
}

/**
 * Buttons to the previous and the next page; empty for a single page. The two custom ids always differ, as Discord
 * requires.
 */
export function pageRows(control: string, { number, pages }: Page<unknown>, rest = ''): readonly Row[] {
  if (pages < 2) return [];
  const to = (target: number) => `${target}${rest}`;
  return [
    [
      { ...button(control, text('page.previous'), to(number - 1)), disabled: number === 0 },
      { ...button(control, text('page.next'), to(number + 1)), disabled: number >= pages - 1 },
    ],
  ];
}
