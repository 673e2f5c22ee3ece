import type { ButtonInteraction, ModalSubmitInteraction, StringSelectMenuInteraction } from 'discord.js';

type ControlInteraction = ButtonInteraction | StringSelectMenuInteraction | ModalSubmitInteraction;

/** What was chosen in a select; ids where it offers roles, members or channels. */
export function valuesOf(interaction: ControlInteraction): readonly string[] {
  return 'values' in interaction ? interaction.values : [];
}

/** What was filled into a form, by field name. */
export function submittedFields(interaction: ControlInteraction): Readonly<Record<string, string>> {
  if (!interaction.isModalSubmit()) return {};
  return Object.fromEntries(
    interaction.fields.fields.map((field) => [
      field.customId,
      'value' in field ? String(field.value ?? '') : 'values' in field ? field.values.join(',') : '',
    ]),
  );
}
