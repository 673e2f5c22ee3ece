/* A form that the bot opens, as a dialog. */

import { uploaded } from '../connection.js';
import { byId, el } from '../dom.js';
import { markdown } from './markdown.js';

export function createModal(page) {
  const { t } = page;
  const dialog = byId('modal');
  let open;

  // Texts have no maxlength: a browser cuts off what is pasted, silently. The playground refuses one that is too long.
  const box = ({ kind, placeholder, value, required, min, max, options }) => {
    const common = { required, placeholder };
    if (kind === 'text') return el('input', { type: 'text', minlength: min, value, ...common });
    if (kind === 'paragraph') return el('textarea', { rows: '4', minlength: min, value, ...common });
    if (kind === 'file') return el('input', { type: 'file', required, multiple: (max ?? 1) > 1 });
    if (kind === 'checkbox') return el('input', { type: 'checkbox', checked: value === 'true' });
    const labels =
      options.length > 0
        ? options
        : page.names.everything({ user: 5, role: 6, mentionable: 7, channel: 8 }[kind] ?? 5).map(({ label }) => label);
    const preset = value.split(', ');
    if (kind === 'checkboxes') {
      return el(
        'div',
        { class: 'choices' },
        labels.map((label) =>
          el(
            'label',
            { class: 'check' },
            el('input', { type: 'checkbox', value: label, checked: preset.includes(label) }),
            label,
          ),
        ),
      );
    }
    const many = (max ?? 1) > 1;
    const select = el(
      'select',
      { required, multiple: many },
      !many && el('option', { value: '' }, placeholder || t('choose')),
      labels.map((label) => el('option', { value: label }, label)),
    );
    for (const option of select.options) option.selected = preset.includes(option.value) && option.value !== '';
    return select;
  };

  /** What goes to the playground; undefined for a field that keeps its preset. */
  async function enteredIn({ kind }, control) {
    if (kind === 'file') return Promise.all([...control.files].map(uploaded));
    if (kind === 'checkbox') return String(control.checked);
    if (kind === 'checkboxes') return [...control.querySelectorAll(':checked')].map(({ value }) => value);
    if (control.tagName === 'SELECT')
      return [...control.selectedOptions].map(({ value }) => value).filter((value) => value !== '');
    return control.value;
  }

  byId('modal-form').addEventListener('submit', async (event) => {
    event.preventDefault();
    // As in Discord's client, which closes the form at the first of two clicks.
    if (open.isSent) return;
    const sent = open;
    sent.isSent = true;
    const problem = byId('modal-problem');
    problem.textContent = '';
    try {
      const fields = {};
      for (const { field, control } of sent.controls) fields[field.customId] = await enteredIn(field, control);
      await page.act('submit', { modal: sent.modal.interactionId, fields });
      dialog.close();
    } catch (error) {
      sent.isSent = false;
      problem.textContent = page.words(error);
    }
  });
  byId('modal-cancel').addEventListener('click', () => dialog.close());

  return {
    show(modal) {
      byId('modal-title').textContent = modal.title;
      byId('modal-problem').textContent = '';
      byId('modal-text').replaceChildren(...(modal.text === '' ? [] : markdown(modal.text, page.names)));
      const controls = modal.fields.map((field, index) => {
        const control = box(field);
        control.id = `field-${index}`;
        return { field, control };
      });
      byId('modal-fields').replaceChildren(
        ...controls.map(({ field, control }) => {
          const about = field.description && el('span', { class: 'about' }, field.description);
          const title = [field.label, field.required && el('span', { class: 'star', 'aria-hidden': 'true' }, ' *')];
          if (field.kind === 'checkboxes')
            return el('fieldset', { class: 'field' }, el('legend', {}, title), about, control);
          return el('div', { class: 'field' }, el('label', { for: control.id }, title), about, control);
        }),
      );
      open = { modal, controls, isSent: false };
      dialog.showModal();
    },
  };
}
