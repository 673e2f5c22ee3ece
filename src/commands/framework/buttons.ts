import { type Button, button, type Row } from '../../discord/replies/layout.ts';
import { type Text, text } from '../../texts/catalog.ts';
import type { Control, ControlCall } from './command.ts';

const nameFor = (asking: string): string => `${asking}-cancel`;

export const cancelButton = (asking: string, argument?: string): Button =>
  button(nameFor(asking), text('question.cancel'), argument);

export const cancelControl = (asking: string, cancel?: (call: ControlCall) => unknown): Control => ({
  name: nameFor(asking),
  replyTo: 'message',
  begin(call) {
    cancel?.(call);
    return async () => ({ lines: [text('question.canceled')] });
  },
});

/** Returns the nearest page if the asked page does not exist: the list may be shorter by now, or the number forged. */
export function pageOf<Item>(items: readonly Item[], size: number, asked: number) {
  const pages = Math.max(1, Math.ceil(items.length / size));
  const number = Math.min(Math.max(asked, 0), pages - 1);
  return { number, pages, shown: items.slice(number * size, (number + 1) * size) };
}

type Page<Item> = ReturnType<typeof pageOf<Item>>;

export const pageAsked = (argument = ''): number => Number.parseInt(argument, 10) || 0;

export function pageLines({ number, pages }: Page<unknown>): readonly Text[] {
  return pages > 1 ? [text('page.of', { page: number + 1, pages })] : [];
}

/** Even a disabled button has its own page number, because Discord requires different custom ids. */
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
