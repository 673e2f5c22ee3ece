/* Behind the scenes: the voice connection, faults to switch on, and the bot's log. */

import { byId, el, withNextFrame } from '../dom.js';

/** Tried most; the list has them all. */
const FIRST = [
  'speech-unavailable',
  'speech-no-credits',
  'gateway-cut',
  'kick',
  'channel-full',
  'voice-group-slow',
  'voice-move',
];
const LEVELS = { 10: 'trace', 20: 'debug', 30: 'info', 40: 'warn', 50: 'error', 60: 'fatal' };
const KEPT_LINES = 300;
const HIDDEN_FIELDS = new Set(['level', 'time', 'msg', 'pid', 'hostname']);

export function createScenes(page) {
  const { t } = page;
  const log = byId('log');
  let lines = [];
  let voice;

  // --- the voice connection ----------------------------------------------------------------------------------------

  function renderVoice(heard) {
    const { frame } = page.view();
    const channel = voice && frame?.channels.find(({ id }) => id === voice.channelId);
    const rows = voice
      ? [
          [t('channel'), channel?.name ?? ''],
          [t('encryption'), t(voice.endToEnd ? 'endToEnd' : 'notYet')],
          [t('transport'), voice.cipher ?? t('notYet')],
          [t('sent'), page.number(voice.packets)],
          [t('resumes'), page.number(voice.resumes)],
        ]
      : [[t('channel'), t('notInVoice')]];
    const heardRows = [
      [t('heard'), page.number(heard.packets)],
      [t('lostPackets'), page.number(heard.lost + heard.late)],
      [t('buffer'), `${page.number(Math.round(heard.bufferMs))} ms`],
      [t('decoder'), heard.decoder],
    ];
    byId('voice-facts').replaceChildren(
      ...[...rows, ...(heard.packets > 0 ? heardRows : [])].flatMap(([name, value]) => [
        el('dt', {}, name),
        el('dd', {}, value),
      ]),
    );
  }

  // --- faults ------------------------------------------------------------------------------------------------------

  let shownFaults = [];
  const chosenValues = new Map();

  function renderFaults(faults = shownFaults) {
    shownFaults = faults;
    const rank = ({ name }) => FIRST.indexOf(name) + 1 || FIRST.length + 1;
    const ordered = [...faults].sort((a, b) => rank(a) - rank(b));
    byId('faults').replaceChildren(...ordered.slice(0, FIRST.length).map((fault) => faultRow(fault, true)));
    byId('more-faults').replaceChildren(...ordered.slice(FIRST.length).map((fault) => faultRow(fault, false)));
    const on = faults.filter(({ value }) => value !== undefined).map(({ name, value }) => `${name}:${value}`);
    page.setLink({ faults: on.join(',') });
  }

  const titleOf = (name) => (FIRST.includes(name) ? t(`fault.${name}`) : name);

  /** The value of a fault that takes one: chosen, or any number. */
  function valueField({ name, values, value }, isSwitch) {
    const offered = isSwitch ? values.filter((each) => !['on', 'off', '0'].includes(each)) : values;
    if (offered.length === 0) return undefined;
    const common = { 'aria-label': `${t('faultValue')}: ${titleOf(name)}`, class: 'value', data: { valueOf: name } };
    const preset = chosenValues.get(name) ?? (isSwitch && value !== undefined ? value : offered[0]);
    const keep = (event) => chosenValues.set(name, event.currentTarget.value);
    if (/^\d+$/.test(preset))
      return el('input', { ...common, type: 'number', min: '0', max: '999999999', value: preset, oninput: keep });
    return el(
      'select',
      { ...common, onchange: keep },
      offered.map((each) => el('option', { value: each, selected: each === preset }, each)),
    );
  }

  function faultRow(fault, isFirst) {
    const { name, values, value, ending } = fault;
    const isSwitch = ending !== undefined;
    const on = value !== undefined;
    const title = titleOf(name);
    const field = valueField(fault, isSwitch);
    const words = () => [name, field?.value ?? (isSwitch ? values[0] : '')].join(' ').trim();
    const button = isSwitch
      ? el(
          'button',
          {
            type: 'button',
            role: 'switch',
            class: 'switch',
            'aria-checked': String(on),
            'aria-label': title,
            data: { fault: name },
            onclick: () => (on ? set(`${name} ${ending}`, true) : set(words())),
          },
          el('i'),
        )
      : el(
          'button',
          {
            type: 'button',
            class: 'button secondary',
            'aria-label': `${t('do')}: ${title}`,
            data: { fault: name },
            onclick: () => set(words()),
          },
          t('do'),
        );
    return el(
      'li',
      {},
      el('div', {}, el('strong', {}, title), el('span', { class: 'about' }, isFirst ? name : page.about(fault))),
      field,
      button,
    );
  }

  async function set(words, isOver = false) {
    const said = byId('fault-said');
    try {
      const { faults } = await page.act('fault', { words });
      const [name, value] = words.split(' ');
      const focused = document.activeElement?.dataset.fault;
      renderFaults(faults);
      if (focused) document.querySelector(`[data-fault="${focused}"]`)?.focus();
      const did = [titleOf(name), value].filter((part) => part !== undefined && part !== 'on').join(' ');
      said.textContent = isOver ? t('faultOver', titleOf(name)) : t('faultDone', did);
    } catch (error) {
      said.textContent = page.words(error);
    }
  }

  // --- the log -----------------------------------------------------------------------------------------------------

  function lineRow(line) {
    const level = LEVELS[line.level] ?? '';
    const details = Object.entries(line).filter(([key, value]) => !HIDDEN_FIELDS.has(key) && value !== null);
    const time = typeof line.time === 'string' ? line.time.slice(11, 23) : '';
    return el(
      'li',
      { class: `log-line ${level}` },
      el('span', { class: 'log-time' }, time),
      el('span', { class: 'log-level' }, level),
      el(
        'span',
        { class: 'log-words' },
        line.msg ?? '',
        ' ',
        el(
          'span',
          { class: 'log-details' },
          details
            .map(([key, value]) => `${key}=${typeof value === 'object' ? JSON.stringify(value) : value}`)
            .join(' '),
        ),
      ),
    );
  }

  const isShown = ({ level = 30 }) => level >= Number(byId('log-level').value);

  let unshown = [];
  const appendSoon = withNextFrame(() => {
    const stayLow = log.scrollHeight - log.scrollTop - log.clientHeight < 40;
    log.append(...unshown.splice(0).filter(isShown).map(lineRow));
    while (log.children.length > KEPT_LINES) log.firstElementChild.remove();
    if (stayLow) log.scrollTop = log.scrollHeight;
  });

  function renderLog() {
    unshown = [];
    log.replaceChildren(...lines.filter(isShown).map(lineRow));
    log.scrollTop = log.scrollHeight;
  }
  byId('log-level').addEventListener('change', renderLog);

  return {
    renderFaults,
    set,
    renderVoice,
    takeVoice(next) {
      voice = next ?? undefined;
    },
    takeLog(more, fresh) {
      if (fresh) [lines, unshown] = [[], []];
      lines = [...lines, ...more].slice(-KEPT_LINES);
      if (fresh) return renderLog();
      unshown.push(...more);
      appendSoon();
    },
  };
}
