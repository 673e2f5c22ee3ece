import { DISCORD_LIMITS } from './limits.ts';

/**
 * The id of a button: the Control that handles it and its argument, as `name` or `name:argument`. Any client can send any
 * id, so an argument is untrusted input: the Control validates it and checks its sender's permissions.
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
