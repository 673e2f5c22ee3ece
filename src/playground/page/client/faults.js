/* The buttons for faults of Discord and of the machine: the same switches as the command `fault` at the prompt. */

import { byId, el, offer } from './dom.js';

export function createFaults(page) {
  let faults = [];
  const name = byId('fault-name');
  const value = byId('fault-value');

  function showChosen() {
    const { values = [], about = '' } = faults.find((fault) => fault.name === name.value) ?? {};
    byId('fault-about').textContent = about;
    value.hidden = values.length === 0;
    value.value = values[0] ?? '';
    byId('fault-values').replaceChildren(...values.map((each) => el('option', { value: each })));
  }

  async function set(words) {
    const said = await page.act('fault', { words }).catch(({ message }) => message);
    byId('fault-said').textContent = said;
    byId('fault-said').scrollIntoView({ block: 'nearest' });
  }

  name.addEventListener('change', showChosen);
  byId('fault').addEventListener('submit', (event) => {
    event.preventDefault();
    set(`${name.value} ${value.value}`.trim());
  });

  return {
    render(list) {
      const isFirst = faults.length === 0;
      faults = list;
      offer(
        name,
        list.map((fault) => [fault.name, fault.name]),
        isFirst ? list[0].name : name.value,
      );
      if (isFirst) showChosen();
      const on = list.filter((fault) => fault.value !== undefined);
      byId('faults-on').replaceChildren(
        ...on.map((fault) =>
          el(
            'li',
            {},
            `${fault.name} ${fault.value} `,
            el(
              'button',
              { type: 'button', class: 'button small', onclick: () => set(`${fault.name} ${fault.ending}`) },
              'End it',
            ),
          ),
        ),
      );
    },
  };
}
