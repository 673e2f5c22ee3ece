/** What is to be told to the admins of some servers, once its sender has seen to how many. */
export interface Announcement {
  readonly words: string;
  readonly guildIds: readonly string[];
  /** The owner who wrote it. */
  readonly askerId: string;
}
