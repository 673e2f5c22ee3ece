import type { Stats } from 'node:fs';

/**
 * The bits of a mode that let others in. Where this account is not the owner, it is let in by the group itself, as Kubernetes mounts
 * a volume (fsGroup): without those bits it would be locked out. Windows has none.
 */
export function bitsOfOthers({ uid }: Stats): number {
  const own = process.getuid?.();
  if (own === undefined) return 0;
  return own === 0 || own === uid ? 0o077 : 0o007;
}
