/* The way of one text from the interaction to the last packet, drawn to scale. */

import { byId, el, withNextFrame } from '../dom.js';

/** Each step with the one that it waits for. */
const STEPS = [
  ['acknowledged', undefined],
  ['joined', 'acknowledged'],
  ['encrypted', 'joined'],
  ['requested', 'acknowledged'],
  ['answered', 'requested'],
  ['firstPacket', 'answered'],
  ['lastPacket', 'firstPacket'],
];

/** As the bot's log has them. */
const OUTCOMES = ['done', 'asked', 'refused', 'failed', 'lost', 'removed'];

export function createTimeline(page) {
  const { t } = page;
  const all = new Map();

  /** The chosen one, or the latest. */
  const chosen = () => all.get(page.link().use) ?? [...all.values()].at(-1);

  const renderSoon = withNextFrame(render);

  function render() {
    const shown = chosen();
    byId('no-use').hidden = shown !== undefined;
    byId('use').hidden = shown === undefined;
    if (!shown) return;
    const select = byId('uses');
    select.replaceChildren(...[...all.values()].reverse().map((use) => el('option', { value: use.id }, nameOf(use))));
    select.value = shown.id;
    byId('steps').replaceChildren(...rows(shown));
    byId('facts').replaceChildren(...facts(shown));
  }

  const nameOf = ({ command, control, text, by }) =>
    `${by}: ${command ? `/${command}` : control || t('control')}${text ? ` ${t('quoted', `${text.slice(0, 40)}${text.length > 40 ? '…' : ''}`)}` : ''}`;

  function rows({ steps }) {
    const end = Math.max(1, ...Object.values(steps));
    const share = (ms) => `${((ms / end) * 100).toFixed(2)}%`;
    const interaction = row(t('step.interaction'), 0, 0, share);
    return [
      interaction,
      ...STEPS.filter(([name]) => steps[name] !== undefined)
        .sort(([one], [other]) => steps[one] - steps[other])
        .map(([name, after]) => {
          const from = Math.min(steps[after] ?? 0, steps[name]);
          return row(t(`step.${name}`), from, steps[name], share);
        }),
    ];
  }

  function row(name, from, to, share) {
    const bar = el('i', { 'aria-hidden': 'true' });
    bar.style.setProperty('--from', share(from));
    bar.style.setProperty('--to', share(to));
    return el(
      'li',
      {},
      el('span', { class: 'step-name' }, name),
      el('span', { class: 'track', 'aria-hidden': 'true' }, bar),
      el('span', { class: 'ms' }, `${page.number(to)} ms`),
    );
  }

  const facts = ({ outcome, voice, packets, encrypted, requestId, credits }) =>
    [
      fact(t('outcome'), outcome === undefined ? t('underWay') : outcomeIn(outcome)),
      voice && fact(t('voice'), voice),
      credits &&
        fact(
          t('credits'),
          `${page.number(credits.used)}${credits.remaining === undefined ? '' : ` · ${t('left', page.number(credits.remaining))}`}`,
        ),
      packets > 0 && fact(t('packets'), page.number(packets)),
      encrypted !== undefined && fact(t('encryption'), t(encrypted ? 'endToEnd' : 'notEndToEnd')),
      requestId && fact(t('request'), requestId),
    ]
      .filter(Boolean)
      .flat();

  const outcomeIn = (outcome) => (OUTCOMES.includes(outcome) ? t(`outcome.${outcome}`) : outcome);

  const fact = (name, value) => [el('dt', {}, name), el('dd', {}, value)];

  return {
    take(use) {
      all.set(use.id, use);
      if (all.size > 20) all.delete(all.keys().next().value);
      renderSoon();
    },
    render,
    /** What is being said, for the caption. */
    spoken: () =>
      [...all.values()].findLast(
        ({ steps, text }) => text !== '' && steps.firstPacket !== undefined && steps.done === undefined,
      ),
  };
}
