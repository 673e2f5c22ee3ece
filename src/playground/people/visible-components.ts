import type { APIMessageComponentEmoji, APISelectMenuOption } from 'discord-api-types/v10';
import { COMPONENT } from '../state/model.ts';

export type Component = Readonly<Record<string, unknown>>;

export type VisibleModal = ReturnType<typeof modalView>;
export type MenuKind = 'string' | 'user' | 'role' | 'mentionable' | 'channel';

const STYLES = ['primary', 'secondary', 'success', 'danger', 'link', 'premium'] as const;

const MENU_KINDS: Readonly<Record<number, MenuKind>> = {
  [COMPONENT.stringSelect]: 'string',
  [COMPONENT.userSelect]: 'user',
  [COMPONENT.roleSelect]: 'role',
  [COMPONENT.mentionableSelect]: 'mentionable',
  [COMPONENT.channelSelect]: 'channel',
};

/** All components from top to bottom, nested components right after their container. */
export function* everyComponent(components: readonly unknown[]): Generator<Component> {
  for (const value of components) {
    if (typeof value !== 'object' || value === null) continue;
    const component = value as Component;
    yield component;
    if (Array.isArray(component.components)) yield* everyComponent(component.components);
    yield* everyComponent([component.accessory, component.component]);
  }
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const optional = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
const count = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);

function buttonView(component: Component) {
  const emoji = component.emoji as APIMessageComponentEmoji | undefined;
  return {
    /** The button's label; empty if the button shows only an emoji. */
    label: text(component.label),
    emoji: emoji?.name,
    customId: optional(component.custom_id),
    url: optional(component.url),
    style: STYLES[Number(component.style) - 1] ?? 'secondary',
    disabled: component.disabled === true,
  };
}

const optionsOf = (component: Component) =>
  (Array.isArray(component.options) ? component.options : []) as APISelectMenuOption[];

function menuView(component: Component) {
  return {
    customId: text(component.custom_id),
    kind: MENU_KINDS[Number(component.type)] ?? 'string',
    placeholder: text(component.placeholder),
    options: optionsOf(component).map(({ label, value, description, default: chosen = false }) => ({
      label,
      value,
      description,
      chosen,
    })),
    min: count(component.min_values) ?? 1,
    max: count(component.max_values) ?? 1,
    disabled: component.disabled === true,
  };
}

export function buttonsOf(components: readonly unknown[]) {
  return [...everyComponent(components)].filter(({ type }) => type === COMPONENT.button).map(buttonView);
}

export function menusOf(components: readonly unknown[]) {
  return [...everyComponent(components)].filter(({ type }) => MENU_KINDS[Number(type)] !== undefined).map(menuView);
}

const bracketed = (words: string, disabled: boolean) => `[${words}]${disabled ? ' (disabled)' : ''}`;
const shownInMenu = ({ options, placeholder }: ReturnType<typeof menuView>): string =>
  options
    .filter(({ chosen }) => chosen)
    .map(({ label }) => label)
    .join(', ') || placeholder;

function lineOf(component: Component): string | undefined {
  const menuKind = MENU_KINDS[Number(component.type)];
  if (menuKind) {
    const menu = menuView(component);
    return bracketed(`menu: ${shownInMenu(menu)}`, menu.disabled);
  }
  switch (component.type) {
    case COMPONENT.textDisplay:
      return text(component.content);
    case COMPONENT.button: {
      const { label, emoji, url, disabled } = buttonView(component);
      return bracketed([emoji, label, url && `→ ${url}`].filter(Boolean).join(' '), disabled);
    }
    case COMPONENT.separator:
      return component.divider === false ? undefined : '---';
    default:
      return undefined;
  }
}

export const linesOf = (components: readonly unknown[]): string[] =>
  [...everyComponent(components)].flatMap((component) => lineOf(component) ?? []);

const FIELD_KINDS: Readonly<Record<number, MenuKind | 'file'>> = {
  ...MENU_KINDS,
  [COMPONENT.fileUpload]: 'file',
};

function fieldView(component: Component, label: unknown, description: unknown) {
  const options = optionsOf(component);
  const isText = component.type === COMPONENT.textInput;
  const typed = component.style === 2 ? ('paragraph' as const) : ('text' as const);
  const preset = options.filter((option) => option.default).map((option) => option.label);
  return {
    customId: text(component.custom_id),
    label: text(label),
    description: optional(description),
    kind: isText ? typed : (FIELD_KINDS[Number(component.type)] ?? ('text' as const)),
    required: component.required !== false,
    placeholder: text(component.placeholder),
    value: isText ? text(component.value) : preset.join(', '),
    options: options.map((option) => option.label),
    min: count(isText ? component.min_length : component.min_values),
    max: count(isText ? component.max_length : component.max_values),
  };
}

export function modalView(
  interactionId: string,
  modal: { readonly customId: string; readonly title: string; readonly components: readonly unknown[] },
) {
  const { customId, title, components } = modal;
  const all = [...everyComponent(components)];
  const fields = (components as readonly Component[]).flatMap((outer) => {
    if (outer.type !== COMPONENT.label) return [];
    return [fieldView(outer.component as Component, outer.label, outer.description)];
  });
  const texts = all.filter(({ type }) => type === COMPONENT.textDisplay).map(({ content }) => text(content));
  return { interactionId, customId, title, components, text: texts.join('\n'), fields };
}
