import { type Hub, waitUntil } from '../state/hub.ts';
import type { Choice, Interaction, InteractionResponse } from '../state/interactions.ts';
import type { Deadline } from '../voice/protocol.ts';
import { modalView, type VisibleModal, wordsOf } from './typed-command.ts';
import { failureView, messageView, type VisibleMessage } from './views.ts';

const DID_NOT_RESPOND = 'The application did not respond';

interface ReplyOptions extends Deadline {
  /** The condition that ends the wait: a pattern that matches the reply's text, or a function that is true for the reply. */
  readonly until?: RegExp | ((reply: VisibleMessage) => boolean);
}

/** A member's use of a command, button, menu or form, with what the member sees as the bot's answer. */
export class SentInteraction {
  readonly id: string;
  readonly sentAtMs: number;
  readonly #hub: Hub;
  readonly #interaction: Interaction;

  constructor(hub: Hub, interaction: Interaction) {
    this.#hub = hub;
    this.#interaction = interaction;
    this.id = interaction.id;
    this.sentAtMs = interaction.sentAtMs;
  }

  /** When the bot acknowledged the interaction, by `performance.now()`; undefined before that. */
  get acknowledgedAtMs(): number | undefined {
    return this.#interaction.acknowledgedAtMs;
  }

  get replies(): readonly VisibleMessage[] {
    const { response, sourceMessage, sentAtMs, messageIds } = this.#interaction;
    const isEdited = (sourceMessage?.history.at(-1)?.atMs ?? 0) > sentAtMs;
    // If the bot edits the message whose button or menu was used, the edit counts as the answer.
    const isUpdate = response.kind === 'update' || (response.kind === 'deferred-update' && isEdited);
    return (isUpdate ? [response.messageId, ...messageIds] : messageIds).flatMap((id) => {
      const message = this.#hub.model.messages.get(id);
      return message ? [messageView(this.#hub, message)] : [];
    });
  }

  /**
   * Waits for the newest visible reply. Without `until`, a reply of only subtext lines (`-# `), such as progress, does not
   * end the wait. After 3 s without an answer, the reply is Discord's own error, with `failed: true`.
   */
  async reply({ until, ...deadline }: ReplyOptions = {}): Promise<VisibleMessage> {
    const matches = (view: VisibleMessage) => {
      if (view.failed) return true;
      if (until === undefined) return !isProvisional(view);
      return typeof until === 'function' ? until(view) : until.test(view.text);
    };
    const found = () => {
      const view = this.#newestVisible();
      return view && matches(view) ? view : undefined;
    };
    return this.#wait(found, { what: `the reply to ${describe(this.#interaction)}`, ...deadline });
  }

  async modal(deadline?: Deadline): Promise<VisibleModal> {
    await this.#response({ what: 'a modal', ...deadline });
    const modal = this.#openModal();
    if (!modal) throw new Error(`Expected a modal; ${this.#seenSoFar()}`);
    return modal;
  }

  async choices(): Promise<readonly Choice[]> {
    const response = await this.#response({ what: `the choices of /${this.#interaction.commandName}` });
    if (response.kind !== 'choices') throw new Error('Loading options failed');
    return response.choices;
  }

  /** Waits for a modal or a reply. Unlike `reply()`, accepts a reply of only subtext lines (`-# `), such as progress. */
  answer(deadline?: Deadline): Promise<{ readonly modal: VisibleModal } | { readonly reply: VisibleMessage }> {
    const found = () => {
      const modal = this.#openModal();
      const reply = this.#newestVisible();
      return modal ? { modal } : reply && { reply };
    };
    return this.#wait(found, { what: `an answer to ${describe(this.#interaction)}`, ...deadline });
  }

  #response(options: Deadline & { readonly what: string }): Promise<InteractionResponse> {
    const found = () => {
      const { response } = this.#interaction;
      return response.kind === 'pending' ? undefined : response;
    };
    return this.#wait(found, options);
  }

  async #wait<T>(found: () => T | undefined, options: Deadline & { readonly what: string }): Promise<T> {
    let value: T | undefined;
    const isThere = () => {
      value ??= found();
      return value !== undefined;
    };
    await waitUntil(this.#hub, isThere, options).catch((cause: unknown) => {
      throw new Error(`${wordsOf(cause)}; ${this.#seenSoFar()}`, { cause });
    });
    return value as T;
  }

  #newestVisible(): VisibleMessage | undefined {
    const { response, channel } = this.#interaction;
    if (response.kind === 'timed-out') return failureView(this.#hub, DID_NOT_RESPOND, channel.id);
    return this.replies.findLast((view) => !view.deleted && !view.thinking);
  }

  #openModal(): VisibleModal | undefined {
    const { response, id } = this.#interaction;
    return response.kind === 'modal' ? modalView(id, response) : undefined;
  }

  #seenSoFar(): string {
    const lines = this.replies.map((view) => {
      const marks = [view.ephemeral && 'ephemeral', view.thinking && 'thinking', view.deleted && 'deleted']
        .filter(Boolean)
        .join(', ');
      return `"${view.text}"${marks ? ` (${marks})` : ''}`;
    });
    return `answered with ${this.#interaction.response.kind}; seen: ${lines.join(', ') || 'nothing'}`;
  }
}

const isProvisional = ({ content }: VisibleMessage) =>
  content !== '' && content.split('\n').every((line) => line.startsWith('-# '));

const describe = (interaction: Interaction) =>
  interaction.commandName === undefined ? `a ${interaction.kind} interaction` : `/${interaction.commandName}`;
