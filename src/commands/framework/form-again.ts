import { button, type Modal, type ModalField, type Row } from '../../discord/replies/layout.ts';
import { UserError } from '../../errors/user-errors.ts';
import { text } from '../../texts/catalogue.ts';
import type { Control, ControlCall } from './command.ts';

type FormCall = Omit<ControlCall, 'signal'>;

const againName = (control: string): string => `${control}-again`;
const refilledName = (control: string): string => `${control}-refilled`;

/** The button that opens a refused form again, with what was typed in it; nothing where it was no form. */
export function formAgainRow({ name, form }: Control, call: FormCall): readonly Row[] {
  if (!form || !call.interaction.isModalSubmit()) return [];
  const { argument, fields, interaction, services } = call;
  const words = Object.values(fields).join('\n');
  const token = services.pending.put('form', { argument, fields, askerId: interaction.user.id, words });
  const original = name.replace(/-refilled$/u, '');
  return [[button(againName(original), text('form.again'), token)]];
}

/** The controls by which a refused form comes back: the button below the refusal, and the form once it is filled in again. */
export function formAgainControls(control: Control): readonly Control[] {
  const { form } = control;
  if (!form) return [];
  const again: Control = {
    name: againName(control.name),
    rights: control.rights,
    needs: { contexts: control.needs.contexts },
    replyTo: 'caller',
    // Discord takes a form only as the first answer.
    deferred: false,
    async begin(call) {
      const { interaction, services } = call;
      const refused = services.pending.peek('form', call.argument);
      if (refused?.askerId !== interaction.user.id) throw new UserError(text('refused.over'));
      const { argument, fields } = refused;
      const modal = await form({ ...call, argument, fields });
      if (!modal) throw new UserError(text('refused.over'));
      return { modal: { ...modal, control: refilledName(control.name) } };
    },
  };
  // It stands on the refusal, which is no message to be changed into a panel.
  return [again, { ...control, name: refilledName(control.name), replyTo: 'caller', deferred: true }];
}

/** A form with what was typed in it. */
export function filledIn(modal: Modal, typed: Readonly<Record<string, string>>): Modal {
  return { ...modal, fields: modal.fields.map((field) => withTyped(field, typed[field.name])) };
}

/** A field with what was typed in it. */
function withTyped(field: ModalField, typed: string | undefined): ModalField {
  if (typed === undefined || field.kind === 'file') return field;
  if (field.kind === 'select') {
    const chosen = typed.split(',');
    return { ...field, options: field.options.map((option) => ({ ...option, chosen: chosen.includes(option.value) })) };
  }
  const { value: _, ...empty } = field;
  return typed === '' ? empty : { ...field, value: typed };
}
