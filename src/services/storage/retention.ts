/** How long the data of a left server is kept, as /privacy says: time enough to find out that leaving was a mistake. */
export const KEPT_AFTER_LEAVING_DAYS = 30;
export const KEPT_AFTER_LEAVING_MS = KEPT_AFTER_LEAVING_DAYS * 24 * 60 * 60_000;
