/* Who speaks, how loudly, and what is being said. */

import { byId, el } from '../dom.js';

/** A caption stays so long after the sound: it can be read to its end. */
const CAPTION_MS = 900;
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
  }

  function idle() {
    const ears = page.view().frame?.members.find(({ name }) => name === page.ears());
    show(ears && !ears.voice ? t('nobodyHears', ears.displayName) : t('silence'), false);
  }

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
