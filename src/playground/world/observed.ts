import type { ObservedInteraction } from '../interface/world-types.ts';
import { everyComponent } from '../people/visible-components.ts';
import type { Interaction, Interactions } from '../state/interactions.ts';

/** An interaction as it is seen from above, with the names that the person saw. */
export function observed(interaction: Interaction, data: unknown, interactions: Interactions): ObservedInteraction {
  const { id, kind, commandName, userId, sentAtMs, sourceMessage, openedBy } = interaction;
  const answered = openedBy?.id ?? sourceMessage?.interaction?.id;
  return {
    id,
    kind,
    commandName,
    control: kind === 'modalSubmit' ? formTitle(interactions.byId(openedBy?.id ?? '')) : nameOn(sourceMessage, data),
    answered,
    userId,
    data,
    sentAtMs,
    get acknowledgedAtMs() {
      return interaction.acknowledgedAtMs;
    },
  };
}

const formTitle = (opener: Interaction | undefined) =>
  opener?.response.kind === 'modal' ? opener.response.title : undefined;

/** The words on a button, or of an empty menu. */
function nameOn(message: Interaction['sourceMessage'], data: unknown): string | undefined {
  const { custom_id: used } = data as { readonly custom_id?: string };
  const component = [...everyComponent(message?.components ?? [])].find(({ custom_id }) => custom_id === used);
  const emoji = component?.emoji as { readonly name?: string } | undefined;
  const name = component?.label ?? component?.placeholder ?? emoji?.name;
  return typeof name === 'string' ? name : undefined;
}
