import { uploaded } from './connection.js';
import { byId, el } from './dom.js';
import { markdown } from './markdown.js';

const MENUS = { user: 5, role: 6, mentionable: 7, channel: 8 };

export function createForm(page) {
  const dialog = byId('modal');
  let open;

  // Browsers silently cut off pasted text at maxlength. The playground rejects texts that are too long instead.
  function control({ kind, placeholder, value, required, min, max, options }) {
    if (kind === 'text') return el('input', { type: 'text', minlength: min, value, required, placeholder });
    if (kind === 'paragraph') return el('textarea', { rows: '4', minlength: min, value, required, placeholder });
    if (kind === 'file') return el('input', { type: 'file', required, multiple: (max ?? 1) > 1 });
    const labels = MENUS[kind] ? page.everything(MENUS[kind]).map(({ label }) => label) : options;
    const multiple = (max ?? 1) > 1;
    const select = el(
      'select',
      { required, multiple },
      !multiple && el('option', { value: '' }, placeholder || 'Make a selection'),
      labels.map((label) => el('option', { value: label }, label)),
    );
    const preset = value.split(', ');
    for (const option of select.options) option.selected = preset.includes(option.value) && option.value !== '';
    return select;
  }

  async function entered({ kind }, element) {
    if (kind === 'file') return Promise.all([...element.files].map(uploaded));
    if (element.tagName === 'SELECT')
      return [...element.selectedOptions].map(({ value }) => value).filter((value) => value !== '');
    return element.value;
  }

  byId('modal-form').addEventListener('submit', async (event) => {
    event.preventDefault();
    // A second click on Submit has no effect: Discord's client closes a form at the first click.
    if (open.isSent) return;
    const sent = open;
    sent.isSent = true;
    byId('modal-problem').textContent = '';
    try {
      const fields = {};
      for (const { field, element } of sent.controls) fields[field.customId] = await entered(field, element);
      await page.act('submit', { modal: sent.id, fields });
      close();
    } catch (error) {
      sent.isSent = false;
      byId('modal-problem').textContent = error.message;
    }
  });
  byId('modal-cancel').addEventListener('click', close);
  // The browser itself closes the dialog when the user presses Escape: the caret is restored then, too.
  dialog.addEventListener('close', restoreCaret);

  // The event 'close' comes later than `dialog.close()`: a key typed in between would be lost.
  function close() {
    dialog.close();
    restoreCaret();
  }

  // After a dialog closes, the browser restores the focus but not the caret. Focusing again moves the caret too.
  function restoreCaret() {
    const { activeElement } = document;
    activeElement.blur();
    activeElement.focus();
  }

  return {
    show({ interactionId: id, title, text, fields }) {
      byId('modal-title').textContent = title;
      byId('modal-problem').textContent = '';
      byId('modal-text').replaceChildren(...markdown(text, page));
      const controls = fields.map((field) => ({ field, element: control(field) }));
      byId('modal-fields').replaceChildren(
        ...controls.map(({ field, element }) =>
          el(
            'label',
            {},
            el('strong', {}, `${field.label}${field.required ? ' *' : ''}`),
            field.description && el('span', { class: 'quiet' }, field.description),
            element,
          ),
        ),
      );
      open = { id, controls, isSent: false };
      dialog.showModal();
    },
  };
}
