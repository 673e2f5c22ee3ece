import type { APISelectMenuOption } from 'discord-api-types/v10';
import { COMPONENT, OPTION } from '../state/model.ts';
import {
  type CommandContext,
  checkLength,
  emptyResolved,
  type Filling,
  presentResolved,
  readEntity,
  readFile,
} from './command-data.ts';
import {
  CommandRefused,
  type Component,
  everyComponent,
  type FileInput,
  MENU_KINDS,
  type VisibleModal,
} from './typed-command.ts';

export type FieldInput = string | readonly string[] | FileInput | readonly FileInput[];

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
  const menus = [...everyComponent(components)].filter(({ type }) => MENU_KINDS[Number(type)] !== undefined);
  const menu = menus.find(({ custom_id, placeholder }) => custom_id === named || placeholder === named);
  if (!menu) throw new CommandRefused(`There is no menu ${named}`);
  if (menu.disabled === true) throw new CommandRefused(`The menu ${named} is disabled`);
  const called = menu.placeholder ? `The menu ${menu.placeholder}` : 'The menu';
  const filling = { ...context, resolved: emptyResolved() };
  return {
    id: menu.id,
    custom_id: menu.custom_id,
    component_type: menu.type,
    values: chosenValues(filling, menu, called, values),
    resolved: presentResolved(filling.resolved),
  };
}

function chosenValues(filling: Filling, menu: Component, called: string, values: readonly string[]) {
  checkCount(menu, values);
  const kind = MENU_KINDS[Number(menu.type)] ?? 'string';
  if (kind === 'string') return values.map((value) => offeredValue(menu, value));
  const field = { called, type: OPTION[kind], channelTypes: (menu.channel_types ?? []) as readonly number[] };
  return values.map((value) => readEntity(filling, field, value));
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
  const filling = { ...context, resolved: emptyResolved() };
  const known = new Set<string>();
  const answer = (component: Component, label: unknown): Component => {
    const names = [String(component.custom_id), String(label)];
    for (const name of names) known.add(name);
    const given = names.map((name) => filled[name]).find((value) => value !== undefined);
    return {
      type: component.type,
      id: component.id,
      custom_id: component.custom_id,
      ...fieldValue(filling, component, given, String(label)),
    };
  };
  const components = (modal.components as readonly Component[]).map((outer) => {
    if (outer.type !== COMPONENT.label) return { type: outer.type, id: outer.id };
    return { type: COMPONENT.label, id: outer.id, component: answer(outer.component as Component, outer.label) };
  });
  const unknown = Object.keys(filled).find((name) => !known.has(name));
  if (unknown !== undefined) throw new CommandRefused(`The modal has no field ${unknown}`);
  return { custom_id: modal.customId, components, resolved: presentResolved(filling.resolved) };
}

function fieldValue(filling: Filling, component: Component, given: FieldInput | undefined, label: string) {
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
    return { values: values.map((value) => readFile(filling, label, value)) };
  }
  return { values: chosenValues(filling, component, `The field ${label}`, values.map(String)) };
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
  const min = text === '' ? 0 : Number(component.min_length ?? 0);
  checkLength(label, text, min, Number(component.max_length ?? 4_000));
  return text;
}
