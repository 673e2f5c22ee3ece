/* The words of the page. `{0}` stands for a value. */

import { de } from './texts/de.js';
import { en } from './texts/en.js';
import { es } from './texts/es.js';

export { aboutFault } from './texts/faults.js';
export { problemIn } from './texts/problems.js';

const CATALOGUES = { en, de, es };

/** The page's language for one of Discord's, such as `es-419`. */
export const languageOf = (locale) => (Object.hasOwn(CATALOGUES, locale.slice(0, 2)) ? locale.slice(0, 2) : 'en');

export const textIn = (language, key, ...values) =>
  CATALOGUES[language][key].replace(/\{(\d)\}/g, (_mark, index) => String(values[index]));

/** Puts the words of the page's own markup in place. */
export function translate(root, t) {
  for (const node of root.querySelectorAll('[data-t]')) node.textContent = t(node.dataset.t);
  for (const node of root.querySelectorAll('[data-t-label]')) {
    node.setAttribute('aria-label', t(node.dataset.tLabel));
    if (node.tagName === 'BUTTON') node.title = t(node.dataset.tLabel);
  }
}
