/* Creates elements without markup: strings become text and are never parsed as HTML. */

export const byId = (id) => document.getElementById(id);

export function el(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith('on')) made.addEventListener(key.slice(2), value);
    else if (key === 'data') Object.assign(made.dataset, value);
    else if (key === 'value' || key === 'disabled' || key === 'multiple') made[key] = value;
    else made.setAttribute(key, value === true ? '' : String(value));
  }
  made.append(
    ...children
      .flat(Number.POSITIVE_INFINITY)
      .filter((child) => child !== undefined && child !== null && child !== false),
  );
  return made;
}

export function avatar(name, isBot) {
  if (isBot) return el('img', { class: 'avatar', src: '/icon.svg', alt: '' });
  const hue = ([...name].reduce((sum, letter) => sum + letter.codePointAt(0), 0) * 47) % 360;
  const made = el('span', { class: 'avatar', 'aria-hidden': 'true' }, [...name][0] ?? '?');
  made.style.background = `hsl(${hue} 45% 30%)`;
  return made;
}

/** Sets the options of a select element. An unchanged list is not rebuilt, because that would close an open list. */
export function offer(select, options, chosen) {
  const key = JSON.stringify(options);
  if (select.dataset.key !== key) {
    select.dataset.key = key;
    select.replaceChildren(...options.map(([value, label]) => el('option', { value }, label)));
  }
  select.value = chosen;
}
