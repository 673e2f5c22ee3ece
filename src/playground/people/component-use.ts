import type { APISelectMenuOption } from 'discord-api-types/v10';
import { COMPONENT, OPTION } from '../state/model.ts';
import {
  type CommandContext,
  emptyResolved,
  presentResolved,
  type ResolvedData,
  readEntity,
  readFile,
} from './command-data.ts';
import { CommandRefused, type Component, everyComponent, type FileInput, type VisibleModal } from './typed-command.ts';

export type FieldInput = string | readonly string[] | FileInput | readonly FileInput[];

const ENTITY_SELECTS: Readonly<Record<number, number>> = {
  [COMPONENT.userSelect]: OPTION.user,
  [COMPONENT.roleSelect]: OPTION.role,
  [COMPONENT.mentionableSelect]: OPTION.mentionable,
  [COMPONENT.channelSelect]: OPTION.channel,
};

export function buttonData(components: readonly unknown[], named: string) {
  const buttons = [...everyComponent(components)].filter(({ type }) => type === COMPONENT.button);
  const button = buttons.find(({ custom_id }) => custom_id === named) ?? buttons.find(({ label }) => label === named);
  if (!button)
    throw new CommandRefused(
      `There is no button ${named}; there are: ${buttons.map(({ label }) => label).join(', ') || 'none'}`,
    );
  if (button.disabled === true) throw new CommandRefused(`The button ${named} is disabled`);
  if (button.custom_id === undefined) throw new CommandRefused(`The button ${named} is a link`);
  return { id: button.id, custom_id: button.custom_id, component_type: COMPONENT.button };
}

export function selectData(
  context: CommandContext,
  components: readonly unknown[],
  named: string,
  values: readonly string[],
) {
  const menus = [...everyComponent(components)].filter(
    ({ type }) => type === COMPONENT.stringSelect || ENTITY_SELECTS[Number(type)] !== undefined,
  );
  const menu = menus.find(({ custom_id, placeholder }) => custom_id === named || placeholder === named);
  if (!menu) throw new CommandRefused(`There is no menu ${named}`);
  if (menu.disabled === true) throw new CommandRefused(`The menu ${named} is disabled`);
  const called = menu.placeholder ? `The menu ${menu.placeholder}` : 'The menu';
  const resolved = emptyResolved();
  return {
    id: menu.id,
    custom_id: menu.custom_id,
    component_type: menu.type,
    values: chosenValues(context, menu, { called, values }, resolved),
    resolved: presentResolved(resolved),
  };
}

function chosenValues(
  context: CommandContext,
  menu: Component,
  { called, values }: { readonly called: string; readonly values: readonly string[] },
  resolved: ResolvedData,
) {
  checkCount(menu, values);
  const kind = ENTITY_SELECTS[Number(menu.type)];
  const field = { called, type: kind ?? 0, channelTypes: (menu.channel_types ?? []) as readonly number[] };
  return values.map((value) =>
    kind === undefined ? offeredValue(menu, value) : readEntity(context, field, value, resolved),
  );
}

function checkCount(menu: Component, values: readonly unknown[]): void {
  const min = Number(menu.min_values ?? 1);
  const max = Number(menu.max_values ?? 1);
  const count = min === max ? String(min) : `between ${min} and ${max}`;
  if (values.length < min || values.length > max) throw new CommandRefused(`Choose ${count}`);
}

function offeredValue(menu: Component, named: string): string {
  const offered = (menu.options ?? []) as readonly APISelectMenuOption[];
  const found = offered.find(({ value }) => value === named) ?? offered.find(({ label }) => label === named);
  if (!found)
    throw new CommandRefused(`${named} is not offered; there are: ${offered.map(({ label }) => label).join(', ')}`);
  return found.value;
}

/** Fields are found by custom id or label. A field without input keeps its preset value. */
export function modalData(context: CommandContext, modal: VisibleModal, filled: Readonly<Record<string, FieldInput>>) {
  const resolved = emptyResolved();
  const known = new Set<string>();
  const answer = (component: Component, label: unknown): Component => {
    const names = [String(component.custom_id), String(label)];
    for (const name of names) known.add(name);
    const given = names.map((name) => filled[name]).find((value) => value !== undefined);
    return {
      type: component.type,
      id: component.id,
      custom_id: component.custom_id,
      ...fieldValue(context, component, given, String(label), resolved),
    };
  };
  const components = (modal.components as readonly Component[]).map((outer) => {
    if (outer.type !== COMPONENT.label) return { type: outer.type, id: outer.id };
    return { type: COMPONENT.label, id: outer.id, component: answer(outer.component as Component, outer.label) };
  });
  const unknown = Object.keys(filled).find((name) => !known.has(name));
  if (unknown !== undefined) throw new CommandRefused(`The modal has no field ${unknown}`);
  return { custom_id: modal.customId, components, resolved: presentResolved(resolved) };
}

function fieldValue(
  context: CommandContext,
  component: Component,
  given: FieldInput | undefined,
  label: string,
  resolved: ResolvedData,
) {
  const inputs = given === undefined ? undefined : [given].flat();
  if (component.type === COMPONENT.textInput) {
    const lines = (inputs ?? [String(component.value ?? '')]).map(String);
    return { value: textValue(component, lines.join('\n'), label) };
  }
  const values = inputs ?? presetValues(component);
  if (values.length === 0) {
    if (component.required !== false) throw new CommandRefused(`This field is required: ${label}`);
    return { values: [] };
  }
  if (component.type === COMPONENT.fileUpload) {
    checkCount(component, values);
    return { values: values.map((value) => readFile(context, label, value, resolved)) };
  }
  const chosen = chosenValues(
    context,
    component,
    { called: `The field ${label}`, values: values.map(String) },
    resolved,
  );
  return { values: chosen };
}

function presetValues(component: Component): string[] {
  if (component.type !== COMPONENT.stringSelect) {
    return ((component.default_values ?? []) as { id: string }[]).map(({ id }) => id);
  }
  const options = (component.options ?? []) as readonly APISelectMenuOption[];
  return options.filter((option) => option.default).map(({ value }) => value);
}

function textValue(component: Component, text: string, label: string): string {
  if (text === '' && component.required !== false) throw new CommandRefused(`This field is required: ${label}`);
  const { length } = [...text];
  if (text !== '' && length < Number(component.min_length ?? 0))
    throw new CommandRefused(`${label} needs at least ${component.min_length} characters`);
  if (length > Number(component.max_length ?? 4_000))
    throw new CommandRefused(`${label} takes at most ${component.max_length ?? 4_000} characters`);
  return text;
}
