/* Keeps the newest entry of a list visible while the list grows, until the user scrolls up. */

/** A list counts as scrolled to its end at up to this many pixels from it. */
const NEAR_PX = 80;

export function createFollowing(scroller, onEnd = () => {}) {
  let follows = true;
  let lastTop = 0;
  let lastHeight = 0;

  /** Only users scroll up: new content moves nothing up. While the list's height changes, the browser scrolls. */
  function look() {
    const { scrollHeight, scrollTop, clientHeight } = scroller;
    if (scrollHeight - scrollTop - clientHeight < NEAR_PX) {
      follows = true;
      onEnd();
    } else if (scrollTop < lastTop && clientHeight === lastHeight) follows = false;
    lastTop = scrollTop;
    lastHeight = clientHeight;
  }

  /** Shows the list's newest entry unless the user has scrolled up; returns true if it is shown. */
  function follow() {
    look();
    if (follows) {
      scroller.scrollTop = scroller.scrollHeight;
      lastTop = scroller.scrollTop;
    }
    return follows;
  }

  scroller.addEventListener('scroll', look);
  const sizes = new ResizeObserver(follow);
  for (const box of [scroller, ...scroller.children]) sizes.observe(box);

  return {
    follow,
    showNewest() {
      lastTop = 0;
      follows = true;
      follow();
    },
  };
}
