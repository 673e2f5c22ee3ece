/** How long the data of a left server is kept, as /privacy says: time enough to find out that leaving was a mistake. */
export const KEPT_AFTER_LEAVING_DAYS = 30;
export const KEPT_AFTER_LEAVING_MS = KEPT_AFTER_LEAVING_DAYS * 24 * 60 * 60_000;

/** How long the audio of spoken texts is kept on disk, as /privacy says. */
export const AUDIO_KEPT_DAYS = 7;
export const AUDIO_KEPT_MS = AUDIO_KEPT_DAYS * 24 * 60 * 60_000;
