/* The state of the page in its address, so that a link leads to it: #as=alice&at=general&hear=olga&side=members&type=/say … */

const START = { as: 'olga', at: 'general', hear: '', side: 'scenes', use: '', type: '', faults: '' };

let state = { ...START };

/** Whom to act as, where, whose ears; the panel, the chosen use of the bot, the line to be typed, the faults that are on. */
export const link = () => state;

export function readLink(hash) {
  const given = new URLSearchParams(hash.replace(/^#/, ''));
  state = { ...START };
  for (const key of Object.keys(START)) if (given.has(key)) state[key] = given.get(key);
  return state;
}

const hashOf = (shown) => {
  const different = Object.entries(shown).filter(([key, value]) => value !== START[key]);
  return different.length > 0 ? `#${new URLSearchParams(different)}` : location.pathname;
};

/** Changes the address without a new entry in the browser's history: it follows each act. */
export function setLink(change) {
  state = { ...state, ...change };
  // The line to be typed is typed once; where it is sent, it stays in no address.
  history.replaceState(null, '', hashOf({ ...state, type: '' }));
  return state;
}

/** With what is typed at the moment. */
export const fullLink = (typed) => new URL(hashOf({ ...state, type: typed }), location.href).href;
