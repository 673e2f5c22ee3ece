import type { ReplyOptions, SentInteraction, VisibleMessage } from '../interface/world-types.ts';
import { type Hub, waitUntil } from '../state/hub.ts';
import type { Interaction } from '../state/interactions.ts';
import { failureView, messageView } from './views.ts';
import { modalView } from './visible-components.ts';

const DID_NOT_RESPOND = 'The application did not respond';

/** An interaction as the person follows it on the screen. */
export function followInteraction(hub: Hub, interaction: Interaction): SentInteraction {
  const views = (): VisibleMessage[] => {
    const ids = [...interaction.messageIds];
    const { response } = interaction;
    // An edit of the component's own message counts as the answer.
    if (response.kind === 'update' || (response.kind === 'deferred-update' && edited(interaction)))
      ids.unshift(response.messageId);
    return ids.flatMap((id) => {
      const message = hub.model.messages.get(id);
      return message ? [messageView(hub, message)] : [];
    });
  };
  const edited = ({ sourceMessage, sentAtMs }: Interaction) => (sourceMessage?.history.at(-1)?.atMs ?? 0) > sentAtMs;

  const newestVisible = (): VisibleMessage | undefined => {
    if (interaction.response.kind === 'timed-out') return failureView(DID_NOT_RESPOND, interaction.channel.id);
    return views().findLast((view) => !view.deleted && !view.thinking);
  };

  const matches = (view: VisibleMessage | undefined, until: ReplyOptions['until']): view is VisibleMessage => {
    if (!view) return false;
    if (view.failed) return true;
    if (until === undefined) return !isProvisional(view);
    return typeof until === 'function' ? until(view) : until.test(view.text);
  };

  return {
    id: interaction.id,
    sentAtMs: interaction.sentAtMs,
    get acknowledgedAtMs() {
      return interaction.acknowledgedAtMs;
    },
    get replies() {
      return views();
    },
    async reply({ until, timeoutMs, signal }) {
      let found: VisibleMessage | undefined;
      const isThere = () => {
        found = newestVisible();
        return matches(found, until);
      };
      await waitUntil(hub, isThere, { what: `the reply to ${describe(interaction)}`, timeoutMs, signal }).catch(
        (error: unknown) => {
          throw new Error(
            `${error instanceof Error ? error.message : String(error)}; ${seenSoFar(interaction, views())}`,
            { cause: error },
          );
        },
      );
      if (!found) throw new Error('unreachable: the reply was there a moment ago');
      return found;
    },
    async modal({ timeoutMs, signal }) {
      await waitUntil(hub, () => interaction.response.kind !== 'pending', { what: 'a modal', timeoutMs, signal });
      const { response } = interaction;
      if (response.kind !== 'modal') throw new Error(`Expected a modal; ${seenSoFar(interaction, views())}`);
      return modalView(interaction.id, response);
    },
    async answer({ timeoutMs, signal }) {
      const what = `an answer to ${describe(interaction)}`;
      const isThere = () => interaction.response.kind === 'modal' || newestVisible() !== undefined;
      await waitUntil(hub, isThere, { what, timeoutMs, signal });
      const { response } = interaction;
      if (response.kind === 'modal') return { modal: modalView(interaction.id, response) };
      const reply = newestVisible();
      if (!reply) throw new Error('unreachable: the reply was there a moment ago');
      return { reply };
    },
  };
}

/** Small print only: a progress report. */
const isProvisional = ({ content }: VisibleMessage) =>
  content !== '' && content.split('\n').every((line) => line.startsWith('-# '));

const describe = (interaction: Interaction) =>
  interaction.commandName === undefined ? `a ${interaction.kind} interaction` : `/${interaction.commandName}`;

function seenSoFar(interaction: Interaction, views: readonly VisibleMessage[]): string {
  const lines = views.map((view) => {
    const marks = [view.ephemeral && 'ephemeral', view.thinking && 'thinking', view.deleted && 'deleted']
      .filter(Boolean)
      .join(', ');
    return `"${view.text}"${marks ? ` (${marks})` : ''}`;
  });
  return `answered with ${interaction.response.kind}; seen: ${lines.join(', ') || 'nothing'}`;
}
