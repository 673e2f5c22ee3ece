/* Suggests three things to try on a first visit, until all are tried or the person types a line. */

import { byId } from './dom.js';

const STORED = 'crier-visited';

export function createFirstVisit(page) {
  const welcome = byId('welcome');
  const buttons = [...welcome.querySelectorAll('button')];
  welcome.hidden = localStorage.getItem(STORED) !== null;

  function end() {
    localStorage.setItem(STORED, 'yes');
    welcome.hidden = true;
  }

  for (const button of buttons) {
    button.addEventListener('click', async () => {
      const { line, as = page.me().name } = button.dataset;
      button.hidden = true;
      if (buttons.every(({ hidden }) => hidden)) end();
      await page.look({ as, at: 'general' });
      await page.send(line).catch(({ message }) => page.problem(message));
    });
  }

  return { end };
}
