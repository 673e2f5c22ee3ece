/** Discord's limits: numbers of items, and lengths in characters (UTF-16 units). */
export const DISCORD_LIMITS = {
  /** https://discord.com/developers/docs/resources/message#create-message */
  messageCharacters: 2_000,
  /** The total for all texts of a panel. */
  panelCharacters: 4_000,
  /**
   * The total of UTF-8 bytes, with `panelBytesPerText` more for each text; above that, Discord answers 500:
   * https://github.com/discord/discord-api-docs/issues/8554
   */
  panelBytes: 10_170,
  panelBytesPerText: 12,

  /** Suggestions: https://discord.com/developers/docs/interactions/receiving-and-responding#interaction-response-object-autocomplete */
  choices: 25,
  /** For the name and the value of a suggestion; one that is longer makes Discord refuse all of them. */
  choiceCharacters: 100,

  /**
   * The maximum of options in a select, and of selected options:
   * https://discord.com/developers/docs/components/reference
   */
  menuOptions: 25,
  /** The limit for an option's label, value and description. */
  menuOptionCharacters: 100,
  placeholderCharacters: 150,
  buttonLabelCharacters: 80,
  customIdCharacters: 100,
  fieldLabelCharacters: 45,
  fieldDescriptionCharacters: 100,
  /** The value of a field. */
  fieldCharacters: 4_000,

  /** https://discord.com/developers/docs/interactions/receiving-and-responding#interaction-response-object-modal */
  formTitleCharacters: 45,
} as const;
