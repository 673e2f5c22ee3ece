import type { en } from './en.ts';

/** The key of a text; English has them all. */
export type TextKey = keyof typeof en;

/** A language other than English: every key, with messages of its own. */
export type Catalogue = Readonly<Record<TextKey, string>>;
