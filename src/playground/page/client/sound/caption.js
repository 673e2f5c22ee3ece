/* Who speaks, how loudly, and what is being said. */

import { byId, el } from '../dom.js';

/** A caption stays so long after the sound: it can be read to its end. */
const CAPTION_MS = 900;
/** So much has a place in one line beside the controls. */
const SHORT_LETTERS = 48;
/** The quietest sound that the meter shows is at −48 dB. */
const METER_DECADES = 2.4;

export function createCaption({ page, rooms, timeline }) {
  const { t } = page;
  const bars = [...byId('meter').children];
  let ends;

  function show(words, speaking) {
    const caption = byId('caption');
    caption.classList.toggle('speaking', speaking);
    caption.replaceChildren(words);
    caption.classList.toggle('long', caption.textContent.length > SHORT_LETTERS);
    // A long text is scrolled, by the keyboard too.
    if (caption.scrollHeight > caption.clientHeight) caption.tabIndex = 0;
    else caption.removeAttribute('tabindex');
  }

  /** Why nothing is heard, where it is not just silence. */
  function reason() {
    const members = page.view().frame?.members ?? [];
    const ears = members.find(({ name }) => name === page.ears());
    if (!ears) return undefined;
    if (!ears.voice) return t('nobodyHears', ears.displayName);
    if (ears.voice.selfDeaf || ears.voice.deaf) return t('deafHears', ears.displayName);
    const bot = members.find(({ isBot }) => isBot)?.voice;
    if (bot?.channelId === ears.voice.channelId && (bot.mute || bot.suppress)) return t('botMuted');
    return page.volume() === 0 ? t('noVolume') : undefined;
  }

  const idle = () => show(reason() ?? t('silence'), false);

  return {
    showLevel({ level, speaker }) {
      const share = level > 0 ? Math.max(0, Math.min(1, 1 + Math.log10(level) / METER_DECADES)) : 0;
      for (const [index, bar] of bars.entries()) bar.classList.toggle('on', index < share * bars.length);
      rooms.speaks(speaker, level);
      if (level === 0) return;
      const spoken = timeline.spoken();
      const who = page.names.member(speaker) ?? '';
      show(spoken ? el('span', {}, el('strong', {}, `${who}: `), spoken.text) : t('speaks', who), true);
      clearTimeout(ends);
      ends = setTimeout(() => {
        ends = undefined;
        rooms.speaks(undefined, 0);
        idle();
      }, CAPTION_MS);
    },
    /** Says what there is to hear where nothing is heard. */
    rest() {
      if (ends === undefined) idle();
    },
  };
}
