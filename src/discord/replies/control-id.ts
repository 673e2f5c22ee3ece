import { DISCORD_LIMITS } from './limits.ts';

/**
 * What stands behind a button: which Control answers, and what it is told, as `name` or `name:argument`. Anybody can
 * send any id, so an argument is input like any other: the Control checks it and what its sender may do.
 */

export function customId(control: string, argument?: string): string {
  const id = argument === undefined ? control : `${control}:${argument}`;
  if (control.includes(':') || id.length > DISCORD_LIMITS.customIdCharacters) throw new Error(`No custom id: ${id}`);
  return id;
}

export function parseCustomId(id: string): { readonly control: string; readonly argument: string } {
  const colon = id.indexOf(':');
  if (colon === -1) return { control: id, argument: '' };
  return { control: id.slice(0, colon), argument: id.slice(colon + 1) };
}
